/** The file `.env` in the working directory: its settings, and the names in it that look like misspelt settings. */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { resembling } from '#contract/core/metadata.ts'
import { SETTINGS } from './settings.ts'

const FILE = '.env'
const NAMES = Object.keys(SETTINGS)

/** Sets the variables of the file that the environment does not set. Returns a sentence for each name that is probably a misspelt setting. */
export function loadEnvFile(): string[] {
  if (!existsSync(FILE)) return []
  process.loadEnvFile(FILE)
  return misspelt(Object.keys(parseEnv(readFileSync(FILE, 'utf8'))))
}

/** Names that resemble no setting are left alone: other programs read the file too. */
export const misspelt = (names: readonly string[]): string[] =>
  names
    .filter((name) => !Object.hasOwn(SETTINGS, name))
    .flatMap((name) => {
      const known = resembling(name, NAMES)
      return known === undefined ? [] : [`${FILE} sets ${name}, which is no setting; did you mean ${known}?`]
    })
