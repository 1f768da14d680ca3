/** The root folder of the repository. Not for what is packaged on its own: server, cli, sdk and console. */
import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '..')
