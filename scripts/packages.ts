/** Functions for all packages for users: they prepare the declarations, and pack the file that `npm install` accepts. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from './root.ts'

export const LICENSE = path.join(ROOT, 'LICENSE')

/** The compiler rewrites imports in JavaScript only, and TypeScript before 5.7 does not resolve `./errors.ts` in declarations. */
export function rewriteImports(folder: string): void {
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const text = readFileSync(path.join(folder, file), 'utf8')
    writeFileSync(path.join(folder, file), text.replace(/((?:from|import) ')(\.[^']+)\.ts'/g, "$1$2.js'"))
  }
}

/** Packs the package of a folder of the repository into `file`. Leaves its `dist` alone, which others may be packing. */
export async function packInto(
  file: string,
  source: string,
  build: (dist: string) => void | Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-package-'))
  try {
    await build(path.join(folder, 'dist'))
    for (const name of ['package.json', 'README.md'])
      copyFileSync(path.join(ROOT, source, name), path.join(folder, name))
    copyFileSync(LICENSE, path.join(folder, 'LICENSE'))
    pack(folder, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Packs the folder of a package, as it is, into `file`. */
export function pack(folder: string, file: string): void {
  const [program, ...args] = npm('pack', '--ignore-scripts', '--silent', '--pack-destination', path.dirname(file))
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const name = execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: [...stdio] }).trim()
  renameSync(path.join(path.dirname(file), name), file)
}

/** Returns the command line of npm: the one that runs this script, if one does, because Windows starts no `npm` without a shell. */
export function npm(...args: string[]): [program: string, ...args: string[]] {
  const own = process.env.npm_execpath
  return own?.endsWith('npm-cli.js') ? [process.execPath, own, ...args] : ['npm', ...args]
}
