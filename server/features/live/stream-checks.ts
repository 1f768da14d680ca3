/**
 * Checks open streams again: whether their credentials are valid, which documents are open to their users, and of which organizations
 * with private threads these are members.
 */
import { decideDocuments } from '#features/permissions/shared.ts'
import { userTokenCheck } from '#features/user-tokens/shared.ts'
import type { Kernel } from '#kernel'
import { StatusError } from '#platform/status-error.ts'
import type { PrivateThreads } from './private-threads.ts'
import type { LiveStream } from './stream.ts'
import { slices } from './updates.ts'

/** How often each stream is checked, so that revoked access ends within five seconds. */
const RECHECK_MS = 3_000
/** How many streams are checked in a round at least, and in one statement, with up to 30 documents each. */
const CHECKED_MIN = 200
const CHECKED_TOGETHER = 100

export function createStreamChecks(kernel: Kernel, privately: PrivateThreads) {
  const { db } = kernel
  const tokens = kernel.use(userTokenCheck)

  const isAllowed = (found: { allowsOrigin(origin: string): boolean }, origin: string | undefined) =>
    origin === undefined || origin === kernel.publicUrl() || found.allowsOrigin(origin)

  /** Checks a part of the streams again, so that each has its turn in time. */
  async function checkStreams(streams: readonly LiveStream[]): Promise<void> {
    const now = performance.now()
    const due = streams.filter(({ checkedAt, isOver }) => now - checkedAt >= RECHECK_MS && !isOver)
    const some = due.slice(0, Math.max(CHECKED_MIN, Math.ceil(streams.length / 10)))
    await Promise.all(some.map(checkCredentials))
    const checked = some.filter(({ isOver }) => !isOver)
    const placeOf = ({ caller, request }: LiveStream) => `${caller.apiKeyId}\0${request.organizationId}`
    for (const ofPlace of Map.groupBy(checked, placeOf).values())
      for (const part of slices(ofPlace, CHECKED_TOGETHER)) await checkDocuments(part)
    for (const stream of some) stream.checkedAt = now
  }

  /** Ends a stream whose credentials are no longer valid. */
  async function checkCredentials(stream: LiveStream): Promise<void> {
    const { token, namedKey, origin } = stream.request
    const found = await tokens.lookUp(token, namedKey)
    const caller = found?.disabled === false && isAllowed(found, origin) ? found.caller : undefined
    if (caller === undefined || caller instanceof StatusError)
      return stream.end((await isElsewhere(stream.caller)) ? 'stopping' : 'signed_out')
    stream.caller = caller
  }

  /** Whether another database serves the key now: then the page connects again and continues there. */
  const isElsewhere = ({ apiKeyId }: LiveStream['caller']) =>
    kernel.buckets.isIn(apiKeyId, kernel.bucket).then(
      (isHere) => !isHere,
      () => true,
    )

  /** Says which documents are no longer open, or are again, or with another role. All streams are of one organization. */
  async function checkDocuments(ofPlace: readonly LiveStream[]): Promise<void> {
    const [first] = ofPlace
    if (first === undefined) return
    const asked = ofPlace.flatMap((stream) =>
      [...stream.documents.keys()].map((documentId) => ({ stream, documentId })),
    )
    const pairs = asked.map(({ stream, documentId }) => ({ userId: stream.caller.userId, documentId }))
    const decisions = await decideDocuments(db, first.caller, first.request.organizationId, pairs)
    const decided = asked.map((one, index) => {
      const { allowed = false, accessRole = null } = decisions[index] ?? {}
      return { ...one, isOpen: allowed, role: allowed ? accessRole : null }
    })
    await privately.check(decided.filter(({ stream, documentId, isOpen }) => isOpen && !stream.loads(documentId)))
    const loading = decided.filter(({ stream, documentId, isOpen }) => isOpen && stream.loads(documentId))
    for (const [stream, ofStream] of Map.groupBy(loading, ({ stream }) => stream))
      await privately.learnThreads(
        db,
        stream,
        ofStream.map(({ documentId }) => documentId),
      )
    for (const { stream, documentId, role } of decided) stream.setRole(documentId, role)
  }

  return checkStreams
}
