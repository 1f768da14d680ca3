/** Builds the package of the web components: one module with its dependencies, and declarations. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { rewriteImports } from './packages.ts'
import { type Bundled, licencesText, packagesOf } from './release/licences.ts'
import { ROOT } from './root.ts'

const SOURCES = path.join(ROOT, 'components')

/** The declarations that programs see. The declarations of the classes would need the types of Lit. */
const DECLARATIONS = ['index', 'elements', 'react', 'connection/options', 'connection/records', 'words/texts']

/** Returns the program with its dependencies as one module, and the packages that the module contains. */
export async function bundleComponents(): Promise<{ program: Uint8Array; packages: Bundled[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [path.join(SOURCES, 'index.ts')],
    inject: [path.join(SOURCES, 'server-globals.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none', // the package has the licences in a file
    metafile: true,
    write: false,
  })
  const packages = packagesOf(Object.keys(metafile.inputs).map((file) => path.join(ROOT, file)))
  return { program: outputFiles[0]?.contents ?? new Uint8Array(), packages }
}

/** Writes the module and its declarations into a folder. */
export async function buildComponents(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { program, packages } = await bundleComponents()
  writeFileSync(path.join(folder, 'commonhold-comments.js'), program)
  writeFileSync(path.join(folder, 'react.js'), "import './commonhold-comments.js'\n")
  writeFileSync(path.join(folder, 'LICENSES.txt'), licencesText(packages))
  const emitted = mkdtempSync(path.join(os.tmpdir(), 'commonhold-declarations-'))
  try {
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc')
    const declarations = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly']
    const args = [compiler, '-p', SOURCES, ...declarations, '--rootDir', SOURCES, '--outDir', emitted]
    execFileSync(process.execPath, args, { stdio: 'inherit' })
    rewriteImports(emitted)
    for (const name of DECLARATIONS) cpSync(path.join(emitted, `${name}.d.ts`), path.join(folder, `${name}.d.ts`))
  } finally {
    rmSync(emitted, { recursive: true, force: true })
  }
}
