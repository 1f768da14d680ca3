/** The file `.env` in the working directory: its settings, and the names in it that look like misspelt settings. */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { resembling } from '#contract/core/metadata.ts'
import { decodedFile } from '#contract/validation/text.ts'
import { ConfigError } from './setting-values.ts'
import { SETTINGS } from './settings.ts'

const FILE = '.env'
const NAMES = Object.keys(SETTINGS)

/**
 * Sets the variables of the file that the environment does not set. Returns a sentence for each name that is probably a
 * misspelt setting.
 */
export function loadEnvFile(): string[] {
  if (!existsSync(FILE)) return []
  const variables = variablesIn(readFileSync(FILE))
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value
  return misspelt(Object.keys(variables))
}

/** Returns the variables of a file. One that is not UTF-8 is refused: its settings would be lost, or have other values. */
export function variablesIn(bytes: Uint8Array): NodeJS.Dict<string> {
  const decoded = decodedFile(bytes)
  if ('fault' in decoded) throw new ConfigError(`${FILE} cannot be read: ${decoded.fault}. Save it as UTF-8.`)
  return parseEnv(decoded.text)
}

/** Names that resemble no setting are left alone: other programs read the file too. */
export const misspelt = (names: readonly string[]): string[] =>
  names
    .filter((name) => !Object.hasOwn(SETTINGS, name))
    .flatMap((name) => {
      const known = resembling(name, NAMES)
      return known === undefined ? [] : [`${FILE} sets ${name}, which is no setting; did you mean ${known}?`]
    })
