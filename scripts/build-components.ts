/** Builds the package of the web components in `components/dist`, for `npm pack` and `npm publish` in `components`. */
import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { buildComponents } from './comments-package.ts'
import { LICENSE } from './packages.ts'
import { ROOT } from './root.ts'

const DIST = path.join(ROOT, 'components/dist')

rmSync(DIST, { recursive: true, force: true })
await buildComponents(DIST)
copyFileSync(LICENSE, path.join(ROOT, 'components/LICENSE'))
