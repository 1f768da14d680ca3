/**
 * Knows which bucket has the data set of an API key. The home database records it, and this process remembers it. Each
 * call confirms the remembered place, because it looks up its credentials in the bucket: if the bucket does not have
 * the key, the directory queries the home database again. So a wrongly remembered place never decides anything.
 */
import { unimplemented } from '#http/bodies/validate.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { isWellFormedToken } from '#platform/secrets/tokens.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import { type BucketRow, COUNT_BUCKETS, FIND_PLACE, GET_BUCKET, GET_BUCKETS } from './statements.ts'

/** Places that are remembered at most; the first that was remembered is forgotten first. */
const REMEMBERED_MAX = 100_000

export const urlContext = (name: string) => ({ column: 'buckets.url_sealed', row: name })

export const apiKeyMoved = () =>
  new StatusError(
    'UNAVAILABLE',
    'api_key_moved',
    'The data of this API key is now in another database; repeat the call.',
    { retryAfterSeconds: 1 },
  )

export class Directory {
  readonly #home: Db
  readonly #sealer: Sealer
  /** The buckets of keys. Undefined: the key is in the home database. */
  readonly #places = new Map<string, string | undefined>()
  #hasBuckets = false

  constructor(home: Db, sealer: Sealer) {
    this.#home = home
    this.#sealer = sealer
  }

  /** Whether this process knows of a bucket. */
  get hasBuckets(): boolean {
    return this.#hasBuckets
  }

  async refresh(): Promise<BucketRow[]> {
    const rows = await this.#home.run(GET_BUCKETS)
    if (rows.length > 0) this.#hasBuckets = true
    return rows
  }

  async urlOf(name: string): Promise<string> {
    const [row] = await this.#home.run(GET_BUCKET, [name])
    if (row === undefined) throw new Error(`there is no bucket ${name}`)
    return this.#sealer.open(row.sealedUrl, urlContext(name))
  }

  /** Returns the bucket of a key as this process remembers it; null: it must ask. */
  remembered(apiKeyId: string): string | undefined | null {
    return this.#places.has(apiKeyId) ? this.#places.get(apiKeyId) : null
  }

  /**
   * Returns the bucket of a key; undefined if the key is in the home database or does not exist. Callers may send any
   * text as a key, so only texts with the form of a key are looked up and remembered.
   */
  async bucketOf(apiKeyId: string): Promise<string | undefined> {
    if (!isWellFormedToken(apiKeyId)) return undefined
    const known = this.remembered(apiKeyId)
    return known === null ? this.#find(apiKeyId) : known
  }

  async #find(apiKeyId: string): Promise<string | undefined> {
    const [place] = await this.#home.run(FIND_PLACE, [apiKeyId])
    if (place?.isClosed) throw apiKeyMoved()
    const bucket = place?.bucket ?? undefined
    const [oldest] = this.#places.size >= REMEMBERED_MAX ? this.#places.keys() : []
    if (oldest !== undefined) this.#places.delete(oldest)
    this.#places.set(apiKeyId, bucket)
    return bucket
  }

  /**
   * Called when `here` (undefined: the home database) does not know the credentials of a call with an API key. Throws
   * UNAVAILABLE if the key is elsewhere, so that no caller is refused because this process remembered a wrong place or
   * did not know the bucket.
   */
  async confirm(apiKeyId: string, here: string | undefined): Promise<void> {
    if (!this.#hasBuckets && (await this.refresh()).length === 0) return
    if ((await this.#find(apiKeyId)) !== here) throw apiKeyMoved()
  }

  /** Returns the bucket of a key as the home database says now, for calls whose credentials say nothing of its place. */
  async currentBucketOf(apiKeyId: string): Promise<string | undefined> {
    return this.#hasBuckets && isWellFormedToken(apiKeyId) ? this.#find(apiKeyId) : undefined
  }

  /** Throws UNAVAILABLE if the key is not in `here` now. */
  async require(apiKeyId: string, here: string | undefined): Promise<void> {
    if (this.#hasBuckets && (await this.#find(apiKeyId)) !== here) throw apiKeyMoved()
  }

  forget(apiKeyId: string): void {
    this.#places.delete(apiKeyId)
  }

  /**
   * Returns the buckets for a new key: those in its region, or those without a region, with the fewest keys first. If
   * there are none, the key goes to the home database.
   */
  async bucketsForNewKey(session: Session, region: string | undefined): Promise<string[]> {
    const rows = await session.run(COUNT_BUCKETS)
    if (rows.length > 0) this.#hasBuckets = true
    const open = rows.filter((row) => row.takesKeys && (row.region ?? undefined) === region)
    if (open.length > 0) return open.sort((one, other) => one.keys - other.keys).map(({ name }) => name)
    if (region === undefined) return []
    const field = 'persistenceDBRegion'
    const regions = [...new Set(rows.flatMap(({ region, takesKeys }) => (takesKeys && region) || []))].sort()
    if (regions.length === 0) throw unimplemented(field)
    throw invalidArgument([{ field, message: `${field} must be one of ${regions.join(', ')}` }], 'region_unknown')
  }
}
