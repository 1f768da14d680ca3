/** The sources that say where the database of a bucket is: its own URL, or the catalog of Citus (ADR 0069). */
import { readCitusUrl } from './citus/address.ts'
import { placeOnCitus } from './citus/nodes.ts'
import { prepareOnCitus } from './citus/prepare.ts'
import { prepareBucket } from './prepare.ts'

export interface Source {
  /** Returns the URL to connect to now. */
  find(): Promise<string>
  /** Brings the database up to date, and returns its URL. */
  prepare(): Promise<string>
}

/** `url`: as the home database has it. */
export function sourceOf(url: string): Source {
  const onCitus = readCitusUrl(url)
  if (onCitus !== undefined) return { find: () => placeOnCitus(onCitus), prepare: () => prepareOnCitus(onCitus) }
  return {
    find: async () => url,
    async prepare() {
      await prepareBucket(url)
      return url
    },
  }
}

export interface Place {
  /** The URL in the home database. */
  url: string
  /** The URL that its source reports; undefined: the source cannot be reached, although the bucket may still be served. */
  at: string | undefined
}

export const placeOf = async (url: string): Promise<Place> => ({
  url,
  at: await sourceOf(url)
    .find()
    .catch(() => undefined),
})

export const isSamePlace = (known: Place, found: Place): boolean =>
  known.url === found.url && (found.at === undefined || known.at === found.at)
