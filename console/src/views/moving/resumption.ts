/** Where an import of this browser was interrupted, so that it continues there: kept with the name, size and date of the file. */
import type { Position } from '#moving/import/import.ts'

/** As of what is remembered of an API key, which signing out deletes. */
const PREFIX = 'commonhold-recent '

export type Kept = Omit<Position, 'key'>

const nameOf = (apiKey: string, { name, size, lastModified }: File): string =>
  `${PREFIX}${apiKey} import ${JSON.stringify([name, size, lastModified])}`

export function keptPosition(apiKey: string, file: File): Kept | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(nameOf(apiKey, file)) ?? 'null')
    return typeof kept?.line === 'number' ? kept : undefined
  } catch {
    return undefined
  }
}

/** A browser that stores nothing cannot continue an import, and imports all the same. */
export function keepPosition(apiKey: string, file: File, position: Kept | undefined): void {
  try {
    if (position === undefined) localStorage.removeItem(nameOf(apiKey, file))
    else {
      const { line, records, failed } = position
      localStorage.setItem(nameOf(apiKey, file), JSON.stringify({ line, records, failed }))
    }
  } catch {}
}
