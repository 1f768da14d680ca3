/**
 * The reader of a server: it reads the feed of events once for all of its streams, and decides for each user what that
 * user may get (rules/comments.md#live, ADR 0057).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '#contract/core/limits.ts'
import { newInInboxes } from '#features/notifications/shared.ts'
import { openDocuments } from '#features/permissions/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { poll } from '#platform/jobs/repeat.ts'
import { StatusError } from '#platform/status-error.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { sendInboxes } from './inboxes.ts'
import { createSender } from './sender.ts'
import { BEGIN_LIVE, type LiveRow, READ_LIVE } from './statements.ts'
import type { LiveStream } from './stream.ts'
import { createStreamChecks } from './stream-checks.ts'
import { slices, threadName, updatesFor } from './updates.ts'

/** Between two rounds of the feed, and of the inboxes, which cost a probe for each user. */
const INTERVAL_MS = 200
const INBOX_INTERVAL_MS = 400
const RETRY_MS = 1_000
const HEARTBEAT_MS = 15_000
/** How many streams begin at the same time. */
const CONCURRENT = 20
/** How many items a round sends to the streams of an API key. If there are more, their pages load again. */
const SENT_MAX = 20_000

export type LiveReader = ReturnType<typeof startLiveReader>

/** Returns the changes by which a public thread went. */
const went = ({ changes }: LiveRow) => changes.filter(({ wasPublic }) => wasPublic)

export function startLiveReader(kernel: Kernel) {
  const { db, log } = kernel
  const { send, privately } = createSender(kernel)
  const { learnThreads } = privately
  const checkStreams = createStreamChecks(kernel, privately)
  const streams = new Set<LiveStream>()
  /** Streams that are being opened. */
  const opening = new Set<Pick<LiveStream, 'caller'>>()
  /** The position up to which the feed is read for all streams; null if there are no streams. */
  let seen: string | null = null
  let heartbeatAt = 0
  let isStopping = false

  async function followFeed(): Promise<void> {
    for (const stream of streams) if (stream.isOver) streams.delete(stream)
    if (streams.size === 0) {
      seen = null
      return
    }
    const following = [...streams].filter(({ hasBegun }) => hasBegun)
    if (seen === null) seen = await begin()
    else if (following.length > 0) await follow(following, seen)
    for (const some of slices(
      [...streams].filter(({ hasBegun }) => !hasBegun),
      CONCURRENT,
    ))
      await Promise.all(some.map(catchUp))
    await privately.sendChanged()
  }

  /** Reads what became visible since the last round, for all streams at once. If it fails, the next round reads it again. */
  async function follow(following: readonly LiveStream[], from: string): Promise<void> {
    const byKey = Map.groupBy(following, ({ caller }): string => caller.apiKeyId)
    const rows = await db.run(READ_LIVE, [[...byKey.keys()], from])
    const streamsOf = ({ apiKeyId }: LiveRow) => byKey.get(apiKeyId) ?? []
    const items = (row: LiveRow) => row.changes.length * streamsOf(row).length
    // A key with few items does not wait for those of a key with many.
    for (const row of rows.toSorted((one, other) => items(one) - items(other))) await handle(streamsOf(row), row)
    // The first of these rounds repeats what a stream has caught up with.
    for (const stream of following) stream.wentBefore.clear()
    seen = rows[0]?.until ?? from
  }

  /**
   * Sends a new stream everything that became visible since its position. The positions of all other streams are not
   * after the point up to which it has read. Deletions of threads before `ready` are not sent: the page loads then
   * anyway, and the document may have been closed to the user at that time.
   */
  async function catchUp(stream: LiveStream): Promise<void> {
    const keys = [stream.caller.apiKeyId]
    const [row] = await db.run(READ_LIVE, [keys, stream.position])
    const [since] = row === undefined ? [] : await db.run(READ_LIVE, [keys, stream.readyAt])
    if (row !== undefined && since !== undefined) {
      for (const { documentId, annotationId } of went(row)) stream.wentBefore.add(threadName(documentId, annotationId))
      for (const { documentId, annotationId } of went(since))
        stream.wentBefore.delete(threadName(documentId, annotationId))
      await handle([stream], { ...row, isOverflow: row.isOverflow || since.isOverflow })
    }
    stream.hasBegun = true
  }

  /** Sends changes. Only afterwards the streams have their new position: what was not sent is sent again. */
  async function handle(to: readonly LiveStream[], { until, isOverflow, changes }: LiveRow): Promise<void> {
    const updates = isOverflow ? [] : updatesFor(to, changes)
    const isTooMuch = isOverflow || updates.length > SENT_MAX
    const reached = isTooMuch ? new Set(to) : await send(updates)
    if (isTooMuch)
      for (const some of slices(to, CONCURRENT))
        await Promise.all(some.map((stream) => learnThreads(db, stream, stream.openDocuments())))
    for (const stream of to) stream.position = until
    for (const stream of reached) {
      if (isTooMuch) stream.send('reset', {}) // the page loads again what it shows
      stream.sendPosition()
    }
  }

  function sendHeartbeats(): void {
    const now = performance.now()
    if (now - heartbeatAt < HEARTBEAT_MS) return
    heartbeatAt = now
    for (const stream of streams) if (stream.hasBegun) stream.sendHeartbeat()
  }

  /** Returns the position at which a stream begins. */
  async function begin(session: Pick<Session, 'run'> = db): Promise<string> {
    const [row] = await session.run(BEGIN_LIVE)
    return row?.position ?? ''
  }

  async function check(): Promise<void> {
    await checkStreams([...streams])
    sendHeartbeats()
  }

  /** Threads do not wait for inboxes, nor both for checks. After a failure each waits before it tries again. */
  const repeated = (work: () => Promise<void>, everyMs: number) =>
    poll(
      () =>
        work().catch(async (error: unknown) => {
          await sleep(RETRY_MS)
          throw error
        }),
      { everyMs, log, failure: 'the streams could not be served; they will be retried' },
    )
  const rounds = repeated(followFeed, INTERVAL_MS)
  const others = [repeated(() => sendInboxes(db, streams), INBOX_INTERVAL_MS), repeated(check, INTERVAL_MS)]

  return {
    begin,

    /**
     * Runs `open`, which opens a stream and adds it. Refuses if the user or the server has the maximum number of
     * streams; streams that are being opened count too.
     */
    async withRoom(caller: UserCaller, open: () => Promise<void>): Promise<void> {
      const isOwn = ({ apiKeyId, userId }: UserCaller) => apiKeyId === caller.apiKeyId && userId === caller.userId
      const all = [...opening, ...[...streams].filter(({ isOver }) => !isOver)]
      const own = all.filter((stream) => isOwn(stream.caller))
      const hasRoom = all.length < LIMITS.liveStreamsMax && own.length < LIMITS.liveStreamsPerUserMax
      if (isStopping || !hasRoom) {
        const message = 'Too many open streams: close some, or try again later.'
        throw new StatusError('RESOURCE_EXHAUSTED', 'rate_limited', message, { retryAfterSeconds: 5 })
      }
      const stream = { caller }
      opening.add(stream)
      try {
        await open()
      } finally {
        opening.delete(stream)
      }
    },

    /** Reads which documents are open, and of which private threads the page can know. Then the stream can be added. */
    async prepare(stream: LiveStream): Promise<void> {
      const { caller, request } = stream
      const { organizationId, documentIds, hasInbox } = request
      const read = async (session: Session) => {
        stream.readyAt = await begin(session)
        const open = await openDocuments(session, caller, organizationId, documentIds)
        for (const documentId of documentIds) stream.documents.set(documentId, open.has(documentId))
        for (const [documentId, role] of open) stream.roles.set(documentId, role)
        await learnThreads(session, stream, [...open.keys()])
        if (!hasInbox || stream.inboxPosition !== null) return
        const [inbox] = await newInInboxes(session, [{ caller, organizationId, after: null }])
        stream.inboxPosition = inbox === undefined ? null : [inbox.at, inbox.id]
      }
      await db.transaction(read, { snapshot: true })
    },

    /** Begins to send. */
    add(stream: LiveStream): void {
      stream.send('ready', { documents: Object.fromEntries(stream.documents) })
      stream.sendPosition()
      streams.add(stream)
      rounds.wake()
    },

    /** Ends all streams: their pages connect to another server. */
    endAll(): void {
      isStopping = true
      for (const stream of streams) stream.end('stopping')
    },

    async stop(): Promise<void> {
      await Promise.all([rounds, ...others].map((loop) => loop.stop()))
    },
  }
}
