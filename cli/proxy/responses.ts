/** Finds what Commonhold would have returned otherwise in a response of the hosted service. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Finding } from './findings.ts'

/** The hosted service returns an error when some documents of a call fail; Commonhold returns a success with a result each. */
const BATCHES = ['documents.add', 'documents.update', 'documents.delete']
const DOMAIN_LISTS = ['domains.add', 'domains.delete']

const UNPACKED_BYTES_MAX = 4 * 1024 * 1024
const UNPACK = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync } as const

/** `body` is the body of a failure; undefined if it is too long. */
export function inspectFailure(
  operation: string | undefined,
  body: Buffer | undefined,
  encoding: string | undefined,
): Finding[] {
  const details = detailsOf(body, encoding)
  if (operation === undefined || typeof details !== 'object' || details === null) return []
  const message = messageOn(operation, details)
  return message === undefined ? [] : [{ verdict: 'differs', reason: 'success_with_results', message }]
}

function messageOn(operation: string, details: object): string | undefined {
  if (BATCHES.includes(operation) && Object.values(details).some(isItemResult))
    return 'this failure is a success here, with a result for each document: check success of each item'
  if (operation === 'documents.get' && Array.isArray(details))
    return 'this failure is a success here, in which unknown ids have success: false and code: "not-found"'
  if (DOMAIN_LISTS.includes(operation) && 'skippedDomains' in details)
    return 'this failure is a success here, with skippedDomains in data'
  return undefined
}

const isItemResult = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as { success?: unknown }).success === 'boolean'

function detailsOf(body: Buffer | undefined, encoding = 'identity'): unknown {
  if (body === undefined) return undefined
  try {
    const unpack = UNPACK[encoding as keyof typeof UNPACK]
    if (unpack === undefined && encoding !== 'identity') return undefined
    const text = unpack === undefined ? body : unpack(body, { maxOutputLength: UNPACKED_BYTES_MAX })
    return JSON.parse(text.toString('utf8'))?.error?.details
  } catch {
    return undefined // not of this contract
  }
}
