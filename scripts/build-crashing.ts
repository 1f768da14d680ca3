/**
 * Bundles the processes that die in tests (`test/crash`), because each of them would otherwise load a thousand files: a
 * bundle takes a quarter of the CPU of the sources until it can begin.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import { ROOT } from './root.ts'

const FOLDER = path.join(ROOT, 'node_modules/.cache/commonhold/crashing')

/** Lets the bundled files find others beside their sources. */
const sourcePaths: Plugin = {
  name: 'source-paths',
  setup({ onLoad }) {
    onLoad({ filter: /\/(cli|contract|moving|scripts|sdk|server|test|testing)\/.*\.ts$/ }, ({ path: file }) => {
      if (file.includes('/node_modules/')) return undefined
      const contents = readFileSync(file, 'utf8')
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
        .replaceAll('import.meta.url', JSON.stringify(`file://${file}`))
      return { contents, loader: 'ts' }
    })
  },
}

/** The globals that bundled CommonJS packages expect. */
const COMMON_JS = `
import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename`

rmSync(FOLDER, { recursive: true, force: true })
await build({
  absWorkingDir: ROOT,
  entryPoints: ['test/crash/crashing-*.ts'],
  outdir: FOLDER,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  external: ['pg-native', 'vitest', '@electric-sql/pglite'],
  plugins: [sourcePaths],
  banner: { js: COMMON_JS },
  logLevel: 'warning',
})
// This file is written last, because its presence marks a complete build.
writeFileSync(path.join(FOLDER, 'complete'), '')
