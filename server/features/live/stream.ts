/** One open stream: what its page requested, and the server-sent events that are written to it. */
import type { ServerResponse } from 'node:http'
import type { AccessRole } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { InboxPosition } from '#features/notifications/shared.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'

export interface StreamRequest {
  caller: UserCaller
  /** The credentials of the request, which are checked again while the stream is open. */
  token: string
  namedKey: string | undefined
  origin: string | undefined
  organizationId: string
  documentIds: readonly string[]
  hasInbox: boolean
}

/** Characters that end a line for some readers of text, and that JSON allows in texts as they are. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/** Returns data as JSON that is one line for every reader. */
const lineOf = (data: object): string =>
  JSON.stringify(data).replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)

export class LiveStream {
  readonly request: StreamRequest
  /** The caller, from the present credentials. */
  caller: UserCaller
  /** Whether each document is open to the user, as the page knows it. */
  readonly documents = new Map<string, boolean>()
  /** The role of the user on documents that are open, as the page knows it; of one that a change opened, unknown until the next check. */
  readonly roles = new Map<string, AccessRole>()
  /** The private threads of which the page may know: only their removal is sent, and not that of other private threads. */
  readonly privateThreads = new Set<string>()
  /** Of each document: its key, and the organizations for which its threads are private and whose member the user is, as the page knows it. */
  readonly memberships = new Map<string, string>()
  /** The public threads that went before the page loaded: their removal is not sent. */
  readonly wentBefore = new Set<string>()
  /** Documents that were found closed by a change, or replaced, which the page does not hear of: the next check says whether they are open. */
  readonly foundClosed = new Set<string>()
  /** Up to where the feed is read. */
  position: string
  /** The position at which the page loads what it shows. */
  readyAt: string
  inboxPosition: InboxPosition | null = null
  /** The notifications that the last round read: the next one may read them again, and does not send them again. */
  sentInbox: ReadonlySet<string> = new Set()
  /** Whether it has caught up with the other streams. */
  hasBegun = false
  /** When its credentials and documents were checked last. */
  checkedAt = performance.now()
  readonly #raw: ServerResponse
  readonly #idOf: (stream: LiveStream) => string
  #isOver = false

  constructor(request: StreamRequest, position: string, raw: ServerResponse, idOf: (stream: LiveStream) => string) {
    this.request = request
    this.caller = request.caller
    this.position = position
    this.readyAt = position
    this.#raw = raw
    this.#idOf = idOf
    raw.once('close', () => {
      this.#isOver = true
    })
  }

  get isOver(): boolean {
    return this.#isOver || this.#raw.destroyed
  }

  /** Sends an event. It has no id: only after a whole round can the page resume from there. */
  send(event: string, data: object): void {
    this.#write(`event: ${event}\ndata: ${lineOf(data)}\n\n`)
  }

  /** Sends the position, from which the page can resume. */
  sendPosition(): void {
    this.#write(`id: ${this.#idOf(this)}\n\n`)
  }

  /** Keeps the connection open, and the position of the page new. */
  sendHeartbeat(): void {
    this.#write(`: heartbeat\nid: ${this.#idOf(this)}\n\n`)
  }

  /** The ids of the private threads of a document of which the page may know. */
  privateThreadsOf(documentId: string): Set<string> {
    const begin = `${documentId}\0`
    return new Set(
      [...this.privateThreads].flatMap((name) => (name.startsWith(begin) ? [name.slice(begin.length)] : [])),
    )
  }

  openDocuments(): string[] {
    return [...this.documents].flatMap(([documentId, isOpen]) => (isOpen ? [documentId] : []))
  }

  /** Returns whether the page will load a document that is open, because it had it closed or has missed something. */
  loads(documentId: string): boolean {
    return this.documents.get(documentId) !== true || this.foundClosed.has(documentId)
  }

  /** Says whether a document is open to the user, if that has changed or something was missed meanwhile. Returns whether it does. */
  setOpen(documentId: string, isOpen: boolean): boolean {
    const hasMissed = this.foundClosed.delete(documentId)
    if (this.documents.get(documentId) === isOpen && !(isOpen && hasMissed)) return false
    this.roles.delete(documentId)
    return this.#sayOpen(documentId, isOpen)
  }

  /** The same, also if the role of the user on the document has changed; null if it is not open. */
  setRole(documentId: string, role: AccessRole | null): void {
    const isKnown = this.roles.get(documentId) === (role ?? undefined)
    if (!this.setOpen(documentId, role !== null) && !isKnown) this.#sayOpen(documentId, role !== null)
    if (role !== null) this.roles.set(documentId, role)
  }

  #sayOpen(documentId: string, isOpen: boolean): true {
    this.documents.set(documentId, isOpen)
    this.send('document', { organizationId: this.request.organizationId, documentId, open: isOpen })
    return true
  }

  end(reason: 'signed_out' | 'stopping'): void {
    if (this.isOver) return
    this.send('end', { reason })
    this.#isOver = true
    this.#raw.end()
  }

  /** Writes text. A page that does not read is cut: it resumes later, and until then it would fill the memory. */
  #write(text: string): void {
    if (this.isOver) return
    this.#raw.write(text)
    if (this.#raw.writableLength <= LIMITS.liveBufferBytesMax) return
    this.#isOver = true
    this.#raw.destroy()
  }
}
