/** The version of this program, from the package.json in the folder above. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

const PACKAGE = path.join(import.meta.dirname, '../package.json')

export const VERSION: string = JSON.parse(readFileSync(PACKAGE, 'utf8')).version
