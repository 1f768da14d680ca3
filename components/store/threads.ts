/** The threads of a document as the page knows them: read, sent by the server, and seen by the user. */
import { CallError } from '../connection/call-error.ts'
import type { Connection } from '../connection/connection.ts'
import type { DocumentName, Person, Thread } from '../connection/records.ts'
import { Draft, type Subject } from './drafts.ts'
import { ThreadChanges } from './thread-changes.ts'

const PAGE_SIZE = 50

export class ThreadStore {
  readonly #connection: Connection
  readonly #document: DocumentName
  readonly #changed: () => void
  /** The comment up to which the user has seen each thread. */
  readonly #seen = new Map<string, number>()
  #pages = 1
  #known: ReadonlySet<string> | undefined
  /** A read that was sent before one of them shows the past. */
  readonly changes: ThreadChanges
  #loads = 0
  #loading = 0
  /** Items of the stream that arrived while threads are being read. */
  readonly #sent = new Map<string, Thread | null>()

  threads: Thread[] = []
  isLoaded = false
  hasMore = false
  user: Person | undefined
  /** Whether the user may write; until the server has said so, the attempt decides. */
  canWrite = true
  /** Whether the user may resolve threads of others. */
  canResolve = true
  /** Why the threads could not be read. */
  error: unknown

  constructor(connection: Connection, document: DocumentName, changed: () => void) {
    this.#connection = connection
    this.#document = document
    this.#changed = changed
    this.changes = new ThreadChanges(connection, document, () => this.#loadAlone())
  }

  /**
   * Takes a message of the server about the document: the current state of a thread, `null` for a deleted one, or that
   * there is more to read.
   */
  take({ annotationId, thread }: { annotationId?: unknown; thread?: Thread | null }): void {
    if (typeof annotationId !== 'string' || thread === undefined) {
      void this.load()
      return
    }
    this.#sent.set(annotationId, thread)
    if (!this.isLoaded) return
    this.threads = this.#withSent(this.threads)
    if (this.#loading === 0) this.#sent.clear()
    this.#changed()
  }

  /** Returns threads with what was sent of them, which may be older than what was read. */
  #withSent(threads: readonly Thread[]): Thread[] {
    const all = new Map(threads.map((thread) => [thread.annotationId, thread]))
    for (const [annotationId, thread] of this.#sent)
      if (thread === null) all.delete(annotationId)
      else if ((all.get(annotationId)?.lastUpdated ?? 0) <= thread.lastUpdated) all.set(annotationId, thread)
    return [...all.values()]
  }

  /** Reads the threads, and the role of the user. */
  load(): Promise<void> {
    return this.#loadAlone(true)
  }

  async #loadAlone(withRole = false): Promise<void> {
    this.#loading++
    await this.#load(withRole)
    this.#loading--
    if (this.#loading === 0) this.#sent.clear()
  }

  async #load(withRole: boolean): Promise<void> {
    const changes = this.changes.count
    const load = ++this.#loads
    try {
      this.user ??= await this.#connection.user()
      const threads: Thread[] = []
      let pageToken: string | undefined
      for (let page = 0; page < this.#pages; page++) {
        const read = await this.#connection.page<Thread[]>('commentannotations/get', {
          ...this.#document,
          pageSize: PAGE_SIZE,
          ...(pageToken && { pageToken }),
        })
        threads.push(...read.data)
        pageToken = read.nextPageToken
        if (pageToken === undefined) break
      }
      if (withRole) await this.#readRole(this.user)
      if (changes !== this.changes.count || load !== this.#loads) return
      // A thread that changes while pages are read may be on two.
      this.threads = this.#withSent(threads)
      this.hasMore = pageToken !== undefined
      this.isLoaded = true
      this.error = undefined
    } catch (error) {
      if (load !== this.#loads) return // what was read later says more
      this.error = error
      // Whoever has lost access does not go on reading; what is being written stays.
      if (error instanceof CallError && ['PERMISSION_DENIED', 'NOT_FOUND'].includes(error.status)) this.threads = []
    }
    this.#changed()
  }

  /** Returns the draft of the user for a form: `new`, or `reply` or `edit` with the id of the thread. */
  draft(form: string, subject?: Subject): Draft {
    const { organizationId, documentId } = this.#document
    return new Draft([this.#connection.url, this.user?.userId, organizationId, documentId], form, subject)
  }

  /** Whether the forms of a thread open with drafts of the user when it is shown. */
  hasDraft({ annotationId }: Thread): boolean {
    return this.canWrite && ['reply', 'edit'].some((form) => this.draft(`${form} ${annotationId}`).read() !== undefined)
  }

  /** Returns how many comments of others have come since it was last asked. */
  arrived(): number {
    const others = this.threads.flatMap(({ annotationId, comments }) =>
      comments
        .filter(({ from }) => from.userId !== this.user?.userId)
        .map(({ commentId }) => `${annotationId} ${commentId}`),
    )
    const known = this.#known
    this.#known = new Set(others)
    return known === undefined ? 0 : others.filter((one) => !known.has(one)).length
  }

  async loadMore(): Promise<void> {
    this.#pages++
    await this.load()
  }

  /**
   * Asks for the role, which may have changed. Where it cannot be known, the server still refuses what is not allowed.
   */
  async #readRole({ userId }: Person): Promise<void> {
    const { organizationId, documentId } = this.#document
    try {
      const all = await this.#connection.call<Record<string, { documents?: Record<string, { accessRole?: string }> }>>(
        'auth/permissions/get',
        { organizationId, documentIds: [documentId] },
      )
      const { accessRole } = all[userId]?.documents?.[documentId] ?? {}
      this.canWrite = accessRole === 'commenter' || accessRole === 'editor'
      this.canResolve = accessRole === 'editor'
    } catch {}
  }

  mayResolve(thread: Thread): boolean {
    return this.canWrite && (this.canResolve || thread.from.userId === this.user?.userId)
  }

  /** Marks threads as seen up to their last comment. Returns whether that was news. */
  async see(threads: readonly Thread[]): Promise<boolean> {
    const news = threads.filter(({ annotationId, comments }) => this.#seen.get(annotationId) !== comments.length)
    if (news.length === 0 || this.user === undefined) return false
    for (const { annotationId, comments } of news) this.#seen.set(annotationId, comments.length)
    const annotationIds = news.map(({ annotationId }) => annotationId)
    try {
      await this.#connection.call('commentannotations/read', { ...this.#document, annotationIds })
      return true
    } catch {
      for (const id of annotationIds) this.#seen.delete(id) // it is tried again when they are shown next
      return false
    }
  }
}
