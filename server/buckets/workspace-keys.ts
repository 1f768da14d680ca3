/**
 * Reads data about all API keys of a workspace from the databases that have them (ADR 0066). The home database says
 * which keys are in which bucket. Other keys in a bucket, such as one whose creation was interrupted by a crash, belong
 * to nobody.
 */
import type { Warning } from '#contract/core/warnings.ts'
import type { RespondOnce } from '#http/idempotency.ts'
import type { Serving } from '#http/route.ts'
import type { Kernel, KeySource, KeysRead, ReadKeys } from '#kernel'
import { SchemaMismatch } from '#platform/db/migrate.ts'
import { isUnreachable, toStatusError } from '#platform/db/pg-errors.ts'
import { StatusError } from '#platform/status-error.ts'

/** The API keys of a workspace that are in one bucket. */
export interface Holding {
  bucket: string
  apiKeys: readonly string[]
}

/** A server that is upgraded soon, or that has upgraded the database, serves the bucket. */
const isOfAnotherVersion = (error: unknown): boolean =>
  error instanceof SchemaMismatch || (error instanceof StatusError && isOfAnotherVersion(error.cause))

export const bucketUnavailable = (bucket: string, cause: unknown) =>
  new StatusError(
    'UNAVAILABLE',
    'bucket_unavailable',
    isOfAnotherVersion(cause)
      ? `The data is in the bucket ${bucket}, whose database has a schema of another version than this server; retry shortly.`
      : `The data is in the bucket ${bucket}, whose database cannot be reached; retry shortly.`,
    { cause, retryAfterSeconds: 1 },
  )

/** Returns the error to throw for an error in a bucket: if the database was not reached, one that names the bucket. */
export function unreachableIn<Failure>(bucket: string, error: Failure): Failure | StatusError {
  const status = toStatusError(error)
  return status !== undefined && isUnreachable(status) ? bucketUnavailable(bucket, status.cause) : error
}

/** Returns how a bucket serves an operation of a workspace. Its errors are those of the bucket, not of the home database. */
export function servingIn(bucket: string, { handle, admit, respondOnce }: Serving): Serving {
  const naming =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      work(...given).catch((error: unknown) => {
        throw unreachableIn(bucket, error)
      })
  return { handle: naming(handle), admit: admit && naming(admit), respondOnce: naming(respondOnce) as RespondOnce }
}

const isUnavailable = (error: unknown): boolean => toStatusError(error)?.status === 'UNAVAILABLE'

/** Runs a read in a bucket or in the home database. If the bucket cannot be reached, the error names it. */
export async function namingBucket<Found>(bucket: string | undefined, read: () => Promise<Found>): Promise<Found> {
  try {
    return await read()
  } catch (error) {
    throw bucket !== undefined && isUnavailable(error) ? bucketUnavailable(bucket, error) : error
  }
}

const keysUnavailable = ({ bucket, apiKeys }: Holding, cause: unknown): Warning => ({
  code: 'keys_unavailable',
  message: `The database of the bucket ${bucket} ${isOfAnotherVersion(cause) ? 'has a schema of another version than this server' : 'cannot be reached'}: ${apiKeys.length === 1 ? '1 API key is' : `${apiKeys.length} API keys are`} left out. Repeat the call later.`,
})

/** `all` is where the keys of the workspace are; `kernelIn` returns the kernel of a bucket. */
export async function readKeysOf<Found>(
  all: readonly Holding[],
  { home, kernelIn }: { home: Kernel; kernelIn(bucket: string): Promise<Kernel> },
  read: ReadKeys<Found>,
  { named, leavesOut = false }: { named?: readonly string[] | undefined; leavesOut?: boolean },
): Promise<KeysRead<Found>> {
  const warnings: Warning[] = []
  const isNamed = named === undefined ? () => true : (id: string) => named.includes(id)
  const elsewhere = new Set(all.flatMap(({ apiKeys }) => apiKeys))
  const atHome: KeySource = { kernel: home, apiKeys: named ?? null, has: (id) => !elsewhere.has(id) }
  const inBuckets = all.map(async ({ bucket, apiKeys: placed }) => {
    const apiKeys = placed.filter(isNamed)
    if (apiKeys.length === 0) return undefined
    const ids = new Set(apiKeys)
    try {
      return await namingBucket(bucket, async () =>
        read({ kernel: await kernelIn(bucket), apiKeys, has: (id) => ids.has(id) }),
      )
    } catch (error) {
      if (!leavesOut || !isUnavailable(error)) throw error
      warnings.push(keysUnavailable({ bucket, apiKeys }, error))
      return undefined
    }
  })
  const found = await Promise.all([read(atHome), ...inBuckets])
  return { found: found.filter((one) => one !== undefined), ...(warnings.length > 0 && { warnings }) }
}
