/** Compiles the client, and packs it into the file that `npm install` takes. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from './root.ts'

const SDK = path.join(ROOT, 'sdk')
const LICENSE = path.join(ROOT, 'LICENSE')

/** Writes JavaScript and declarations into a folder, which must be empty. */
export function compileClient(folder: string): void {
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc')
  // The test helper uses the types of Node; everything else is compiled without them.
  for (const project of ['tsconfig.testing.json', 'tsconfig.json'])
    execFileSync(process.execPath, [compiler, '-p', path.join(SDK, project), '--outDir', folder], { stdio: 'inherit' })
  // The compiler rewrites imports in JavaScript only, and TypeScript before 5.7 does not resolve `./errors.ts` in declarations.
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const text = readFileSync(path.join(folder, file), 'utf8')
    writeFileSync(path.join(folder, file), text.replace(/(from ')(\.[^']+)\.ts'/g, "$1$2.js'"))
  }
}

/** Packs the client into `file`. Leaves `sdk/dist` alone, which others may be packing. */
export function packClient(file: string): void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-client-'))
  try {
    compileClient(path.join(folder, 'dist'))
    for (const name of ['package.json', 'README.md']) copyFileSync(path.join(SDK, name), path.join(folder, name))
    copyFileSync(LICENSE, path.join(folder, 'LICENSE'))
    const [program, ...args] = npm('pack', '--ignore-scripts', '--silent', '--pack-destination', folder)
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    const [packed = ''] = globSync('*.tgz', { cwd: folder })
    copyFileSync(path.join(folder, packed), file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the command line of npm: the one that runs this script, if one does, because Windows starts no `npm` without a shell. */
function npm(...args: string[]): [program: string, ...args: string[]] {
  const own = process.env.npm_execpath
  return own?.endsWith('npm-cli.js') ? [process.execPath, own, ...args] : ['npm', ...args]
}
