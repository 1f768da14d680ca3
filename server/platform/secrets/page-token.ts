/**
 * Page tokens: cursors of lists that are encrypted, bound to their query, and tamper-proof (rules/contract.md#pages). A
 * cursor can be the key of a row that the caller may not see, because it was left out of the page.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Warning } from '#contract/core/warnings.ts'
import { invalidArgument, type StatusError } from '../status-error.ts'

const TAG_BYTES = 16
const CIPHER = 'aes-256-ctr'

export interface PageTokens {
  /** Returns a token. `scope` identifies the query: caller, operation, filters. `last` is the key of the last row of the page. */
  encode(scope: readonly unknown[], last: string): string
  /** Returns the `last` of the token, or null without a token. Throws INVALID_ARGUMENT for `field` when it was made for another scope. */
  decode(scope: readonly unknown[], token: string | undefined, field?: string): string | null
  /** Cuts rows as `cutPage` does. `next` has the token of the next page, if there is one. `keyOf` returns the `last` of a row. */
  cut<Row>(scope: readonly unknown[], rows: readonly Row[], pageSize: number, keyOf: (row: Row) => string): CutPage<Row>
}

interface CutPage<Row> {
  page: Row[]
  next: { nextPageToken?: string }
}

/** The result of a paged list. */
export interface Paged<Data> {
  data: Data
  nextPageToken?: string
  warnings?: Warning[]
}

/**
 * Cuts rows that were read with `limit pageSize + 1` to a page. `last` is the row after which the next page begins, or
 * undefined if there is none. `isScanEnd` marks the row at which a bounded scan stopped.
 */
export function cutPage<Row>(
  rows: readonly Row[],
  pageSize: number,
  isScanEnd: (row: Row) => boolean = () => false,
): { page: Row[]; last: Row | undefined } {
  const page = rows.slice(0, pageSize)
  const last = page.at(-1)
  const hasMore = last !== undefined && (rows.length > pageSize || isScanEnd(last) || endsEarly(last))
  return { page, last: hasMore ? last : undefined }
}

/** A page that ends early because of its bytes says in its last row that there are more (`withinPage`). */
const endsEarly = (row: unknown): boolean => (row as { hasNext?: boolean }).hasNext === true

export function createPageTokens(masterKey: Buffer): PageTokens {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), use, 32))
  const key = derive('commonhold page token v1')
  const cipherKey = derive('commonhold page token cipher v1')
  // The tag is of what is encrypted and is also the initial counter, so only equal cursors have equal tokens (as in RFC 5297).
  const tag = (scope: readonly unknown[], last: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([scope, last]))
      .digest()
      .subarray(0, TAG_BYTES)
  const encode = (scope: readonly unknown[], last: string): string => {
    const counter = tag(scope, last)
    const cipher = createCipheriv(CIPHER, cipherKey, counter)
    return Buffer.concat([counter, cipher.update(last, 'utf8'), cipher.final()]).toString('base64url')
  }
  function decrypted(counter: Buffer, text: Buffer): string {
    const decipher = createDecipheriv(CIPHER, cipherKey, counter)
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
  }
  return {
    encode,
    cut(scope, rows, pageSize, keyOf) {
      const { page, last } = cutPage(rows, pageSize)
      return { page, next: last === undefined ? {} : { nextPageToken: encode(scope, keyOf(last)) } }
    },
    decode(scope, token, field = 'pageToken') {
      if (token === undefined) return null
      const bytes = Buffer.from(token, 'base64url')
      const given = bytes.subarray(0, TAG_BYTES)
      const asEncoded = bytes.toString('base64url') === token // decoding skips what is not base64
      if (!asEncoded || given.length < TAG_BYTES) throw pageTokenInvalid(field)
      const last = decrypted(given, bytes.subarray(TAG_BYTES))
      if (!timingSafeEqual(given, tag(scope, last))) throw pageTokenInvalid(field)
      return last
    },
  }
}

export function pageTokenInvalid(
  field = 'pageToken',
  message = `${field} does not belong to this query; start again without it`,
): StatusError {
  return invalidArgument([{ field, message }], 'page_token_invalid')
}
