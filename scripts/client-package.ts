/** Compiles the client. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { rewriteImports } from './packages.ts'
import { ROOT } from './root.ts'

const SDK = path.join(ROOT, 'sdk')

/** Writes JavaScript and declarations into a folder, which must be empty. */
export function compileClient(folder: string): void {
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc')
  // The test helper uses the types of Node; everything else is compiled without them.
  for (const project of ['tsconfig.testing.json', 'tsconfig.json'])
    execFileSync(process.execPath, [compiler, '-p', path.join(SDK, project), '--outDir', folder], { stdio: 'inherit' })
  rewriteImports(folder)
}
