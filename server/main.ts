/** The entry point of the process. Caches compiled code beside the installed packages, which halves the time of later starts. */
import { enableCompileCache } from 'node:module'
import path from 'node:path'

enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/commonhold/compiled'))
await import('./start.ts')
