/** Builds the package of the client in `sdk/dist`: JavaScript and declarations, for `npm pack` and `npm publish` in `sdk`. */
import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { compileClient } from './client-package.ts'
import { LICENSE } from './packages.ts'
import { ROOT } from './root.ts'

const DIST = path.join(ROOT, 'sdk/dist')

rmSync(DIST, { recursive: true, force: true })
compileClient(DIST)
copyFileSync(LICENSE, path.join(ROOT, 'sdk/LICENSE'))
