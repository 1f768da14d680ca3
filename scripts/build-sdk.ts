/** Builds the package of the client in `sdk/dist`: JavaScript and declarations, for `npm pack` and `npm publish` in `sdk`. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './root.ts'

const SDK = path.join(ROOT, 'sdk')

rmSync(path.join(SDK, 'dist'), { recursive: true, force: true })
// The test helper uses the types of Node; everything else is compiled without them.
for (const project of ['tsconfig.testing.json', 'tsconfig.json'])
  execFileSync(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', path.join(SDK, project)], {
    stdio: 'inherit',
  })
// The compiler rewrites imports in JavaScript only, and TypeScript before 5.7 does not resolve `./errors.ts` in declarations.
for (const file of globSync('dist/**/*.d.ts', { cwd: SDK })) {
  const text = readFileSync(path.join(SDK, file), 'utf8')
  writeFileSync(path.join(SDK, file), text.replace(/(from ')(\.[^']+)\.ts'/g, "$1$2.js'"))
}
copyFileSync(path.join(ROOT, 'LICENSE'), path.join(SDK, 'LICENSE'))
