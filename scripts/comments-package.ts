/** Builds the package of the web components: one module with all that it needs, and declarations. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { rewriteImports } from './packages.ts'
import { ROOT } from './root.ts'

const SOURCES = path.join(ROOT, 'components')

/** The declarations that programs see. Those of the classes would need the types of Lit. */
const DECLARATIONS = ['index', 'elements', 'react', 'connection/options', 'connection/records', 'words/texts']

/** The packages that the module contains, whose licences come with it. */
const BUNDLED = ['lit', 'approx-string-match']
const PACKAGES = path.join(ROOT, 'node_modules')

/** Returns the program, with all that it needs, as one module. */
export async function bundleComponents(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [path.join(SOURCES, 'index.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none', // the package has the licences in a file
    write: false,
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

/** Writes the module and its declarations into a folder. */
export async function buildComponents(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'commonhold-comments.js'), await bundleComponents())
  writeFileSync(path.join(folder, 'react.js'), "import './commonhold-comments.js'\n")
  const licences = BUNDLED.map((name) => `${name}\n\n${readFileSync(path.join(PACKAGES, name, 'LICENSE'), 'utf8')}`)
  writeFileSync(path.join(folder, 'LICENSES.txt'), licences.join('\n\n'))
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
