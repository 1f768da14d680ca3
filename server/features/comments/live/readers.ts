/** Reads threads for the readers of streams: each thread once, and for each reader whether they see it now (rules/comments.md#live). */
import type { ThreadRecord } from '#contract/comments/records.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { withoutAddresses } from '#tenancy/callers/own-user.ts'
import { peopleInThread, showingTo, threadRecord } from '../records.ts'
import { FILTER_VALUES, FIND_THREADS, type StoredThread } from '../threads/read-statements.ts'
import { SNAPSHOT } from '../users/access.ts'
import { wordsOf } from '../words.ts'
import { DECIDE_READERS, FIND_PRIVATE_THREADS, LIST_MEMBERSHIPS, type ReaderOutcome } from './statements.ts'

/** A reader, and a thread that has changed. */
export interface ReaderOfThread {
  caller: UserCaller
  organizationId: string
  documentId: string
  annotationId: string
}

export interface ThreadForReader {
  /** Whether the document is open to the reader. */
  isOpen: boolean
  isVisible: boolean
  isPublic: boolean
  /** What `memberships` returns at this moment; undefined unless memberships decide who sees the thread, and it is visible. */
  memberships?: string
  /** The thread as the reader sees it; undefined if the reader does not see it, or it is too large to be sent. */
  thread?: ThreadRecord
}

/** Filters of FIND_THREADS, none of which is given, and its reader: whether they see the threads is decided already. */
const NO_FILTERS = Array.from({ length: FILTER_VALUES + 1 }, () => null)
/** How many questions are decided, and threads are read, in one statement. */
const ASKED_MAX = 1_000
const READ_MAX = 100

const idOf = ({ organizationId, documentId, annotationId }: Omit<ReaderOfThread, 'caller'>): string =>
  JSON.stringify([organizationId, documentId, annotationId])

export function createThreadReaders({ db, config }: Kernel) {
  const words = wordsOf(config.HEADER_PREFIX)

  /**
   * Returns what each reader sees of a thread, in the order of the readers, who all have the same API key. All of it is
   * from one moment.
   */
  function readForReaders(readers: readonly ReaderOfThread[]): Promise<ThreadForReader[]> {
    return db.transaction(async (session) => {
      const outcomes: ReaderOutcome[] = []
      for (let first = 0; first < readers.length; first += ASKED_MAX)
        outcomes.push(...(await session.runSet(DECIDE_READERS, readers.slice(first, first + ASKED_MAX).map(rowOf))))
      const isSent = (index: number) =>
        outcomes[index]?.isVisible === true && (outcomes[index].bytes ?? 0) <= LIMITS.liveThreadBytesMax
      const isMember = (index: number) => outcomes[index]?.isMember === true
      const threads = new Map<boolean, Map<string, ThreadRecord>>()
      // Members of the organization know more people than others.
      for (const ofMembers of [true, false])
        threads.set(
          ofMembers,
          await threadsOf(
            session,
            readers.filter((_, index) => isSent(index) && isMember(index) === ofMembers),
          ),
        )
      const asMembers = readers.filter((_, index) => outcomes[index]?.isVisible && outcomes[index].isOfMembers)
      const listed = await memberships(session, asMembers)
      const membershipsOf = new Map(asMembers.map((reader, nth) => [reader, listed[nth] ?? '']))
      return readers.map((reader, index) => {
        const { isOpen = false, isVisible = false, isPublic = null } = outcomes[index] ?? {}
        const memberships = membershipsOf.get(reader)
        const thread = isSent(index) ? threads.get(isMember(index))?.get(idOf(reader)) : undefined
        return {
          isOpen,
          isVisible,
          isPublic: isPublic === true,
          ...(memberships !== undefined && { memberships }),
          ...(thread && { thread: withoutAddresses(reader.caller, thread) }),
        }
      })
    }, SNAPSHOT)
  }

  async function threadsOf(session: Session, readers: readonly ReaderOfThread[]): Promise<Map<string, ThreadRecord>> {
    const records = new Map<string, ThreadRecord>()
    for (const [organizationId, ofOrganization] of Map.groupBy(readers, (reader) => reader.organizationId)) {
      const [{ caller } = {}] = ofOrganization
      if (caller === undefined) continue
      const ids = [...new Set(ofOrganization.map(({ annotationId }) => annotationId))]
      for (let first = 0; first < ids.length; first += READ_MAX) {
        const values = [
          organizationKey(caller, organizationId),
          null,
          ids.slice(first, first + READ_MAX),
          ...NO_FILTERS,
        ]
        const stored: StoredThread[] = await session.run(FIND_THREADS, values)
        const people = stored.map((thread) => ({
          ...peopleInThread(thread),
          organizationKey: organizationKey(caller, organizationId),
          resourceKey: thread.resourceKey,
        }))
        const show = await showingTo(session, caller, people)
        for (const thread of stored) {
          const { documentId, annotationId } = thread
          const record = threadRecord(thread, { caller, organizationId, words, show })
          records.set(idOf({ organizationId, documentId, annotationId }), record)
        }
      }
    }
    return records
  }

  /**
   * Returns for each reader of a document a text that changes when they enter or leave an organization for which threads of the document
   * are private, or when another document has the id. It begins with the key of the document.
   */
  async function memberships(
    session: Pick<Session, 'runSet'>,
    readers: readonly Omit<ReaderOfThread, 'annotationId'>[],
  ): Promise<string[]> {
    if (readers.length === 0) return []
    const found = await session.runSet(
      LIST_MEMBERSHIPS,
      readers.map(({ caller, organizationId, documentId }) => ({
        organizationKey: organizationKey(caller, organizationId),
        documentId,
        userId: caller.userId,
      })),
    )
    return found.map(({ memberships }) => memberships)
  }

  return {
    readForReaders,
    memberships,

    /** Returns the private threads that a user sees, as `[documentId, annotationId]`. */
    async privateThreads(
      session: Pick<Session, 'runSet'>,
      caller: UserCaller,
      organizationId: string,
      documentIds: readonly string[],
    ): Promise<[string, string][]> {
      const key = organizationKey(caller, organizationId)
      const rows = documentIds.map((documentId) => ({ organizationKey: key, documentId, userId: caller.userId }))
      const found = await session.runSet(FIND_PRIVATE_THREADS, rows)
      return found.map(({ documentId, annotationId }) => [documentId, annotationId])
    },
  }
}

function rowOf({ caller, organizationId, documentId, annotationId }: ReaderOfThread) {
  const { userId, defaultAccessType, defaultAccessRole } = caller
  const key = organizationKey(caller, organizationId)
  return { organizationKey: key, documentId, annotationId, userId, defaultAccessType, defaultAccessRole }
}
