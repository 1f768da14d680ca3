/**
 * The private threads of which pages may know. Who sees those of an organization depends on memberships, which change without an event of
 * the thread, and perhaps in another organization than that of the page: each check compares the memberships (rules/comments.md#live).
 */
import type { createThreadReaders } from '#features/comments/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { LiveStream } from './stream.ts'
import { threadName, type Update } from './updates.ts'

/** A stream, and a document that is open to its user. */
interface OpenDocument {
  stream: LiveStream
  documentId: string
}

export type PrivateThreads = ReturnType<typeof createPrivateThreads>

const readerOf = ({ stream: { caller, request }, documentId }: OpenDocument) => ({
  caller,
  organizationId: request.organizationId,
  documentId,
})

const documentKeyOf = (memberships: string): string | undefined => memberships.split(' ')[0]

export function createPrivateThreads(
  db: Db,
  threads: ReturnType<typeof createThreadReaders>,
  send: (updates: readonly Update[]) => Promise<unknown>,
) {
  /** The results of checks, until a round has sent them. Only rounds send threads, so no older decision follows a newer one. */
  const changed = new Map<LiveStream, Set<string>>()

  /** Finds the threads that the page has and its user does not see, and the other way round: each is decided when it is sent. */
  async function sendOne({ stream, documentId }: OpenDocument): Promise<void> {
    const { organizationId } = stream.request
    // The memberships come first, as in `learnThreads`.
    const [memberships = ''] = await threads.memberships(db, [readerOf({ stream, documentId })])
    stream.memberships.set(documentId, memberships)
    const found = await threads.privateThreads(db, stream.caller, organizationId, [documentId])
    const seen = new Set(found.map(([, annotationId]) => annotationId))
    const differing = [...seen.symmetricDifference(stream.privateThreadsOf(documentId))]
    await send(
      differing.map((annotationId) => ({
        stream,
        change: { organizationId, documentId, annotationId, wasPublic: false },
      })),
    )
  }

  /** Notes the memberships that a user has at some moment: if the page does not have the threads of these, the next round finds that. */
  function note({ stream, documentId }: OpenDocument, memberships: string): void {
    const known = stream.memberships.get(documentId)
    if (known === memberships) return
    // Another document has the id: the page loads its threads, and no longer has those of the deleted one.
    if (known !== undefined && documentKeyOf(known) !== documentKeyOf(memberships)) stream.foundClosed.add(documentId)
    const documents = changed.get(stream) ?? new Set()
    changed.set(stream, documents.add(documentId))
  }

  /** Threads that are noted while it sends are sent again. */
  async function sendNoted(stream: LiveStream, documentId: string, documents: Set<string>): Promise<void> {
    documents.delete(documentId)
    if (stream.isOver) return
    await sendOne({ stream, documentId }).catch((error: unknown) => {
      documents.add(documentId)
      throw error
    })
  }

  return {
    /** Reads of which private threads of documents the page can know from now on. */
    async learnThreads(
      session: Pick<Session, 'runSet'>,
      stream: LiveStream,
      documentIds: readonly string[],
    ): Promise<void> {
      const { caller, request, privateThreads } = stream
      // The memberships come first: if one ends before the threads are read, the next check finds that.
      const documents = documentIds.map((documentId) => ({ stream, documentId }))
      const memberships = await threads.memberships(session, documents.map(readerOf))
      for (const [index, documentId] of documentIds.entries())
        stream.memberships.set(documentId, memberships[index] ?? '')
      const known = await threads.privateThreads(session, caller, request.organizationId, documentIds)
      for (const [documentId, annotationId] of known) privateThreads.add(threadName(documentId, annotationId))
    },

    /** Finds the documents of streams whose users have entered or left an organization, for the next round. */
    async check(documents: readonly OpenDocument[]): Promise<void> {
      const now = await threads.memberships(db, documents.map(readerOf))
      for (const [index, document] of documents.entries()) note(document, now[index] ?? '')
    },

    note,

    /** Sends what the checks have found. If it fails, the next round does it again. */
    async sendChanged(): Promise<void> {
      for (const [stream, documents] of changed) {
        for (const documentId of documents) await sendNoted(stream, documentId, documents)
        if (documents.size === 0) changed.delete(stream)
      }
    },
  }
}
