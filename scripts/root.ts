/** The root folder of the repository. Packaged parts (server, cli, sdk, console) must not use it. */
import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '..')
