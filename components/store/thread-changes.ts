/** The changes that a user makes to the threads of a document. The threads are read again after each change. */
import { CallError } from '../connection/call-error.ts'
import type { Connection } from '../connection/connection.ts'
import {
  type DocumentName,
  type Mention,
  OPEN,
  RESOLVED,
  type TargetElement,
  type TextQuote,
  type Thread,
} from '../connection/records.ts'

/** A text as it is stored. */
export interface Written {
  commentText: string
  taggedUserContacts: Mention[]
}

export interface Anchor {
  targetElement: TargetElement
  selector: TextQuote
}

/** Names a comment of a thread. */
interface CommentName {
  annotationId: string
  commentId: number
}

interface ItemResult {
  success?: boolean
  code?: string
  message?: string
}

export class ThreadChanges {
  readonly #connection: Connection
  readonly #document: DocumentName
  readonly #load: () => Promise<void>
  /** Increases with each change, also with one that failed. */
  count = 0

  constructor(connection: Connection, document: DocumentName, load: () => Promise<void>) {
    this.#connection = connection
    this.#document = document
    this.#load = load
  }

  /** Starts a thread. A repeated attempt with the same `key` starts none again. */
  async add(written: Written, key: string, anchor: Anchor | undefined, pageInfo: object): Promise<void> {
    const thread = {
      commentData: [written],
      ...(anchor && { targetElement: anchor.targetElement, context: { selector: anchor.selector } }),
      pageInfo,
    }
    await this.#change('commentannotations/add', { commentAnnotations: [thread] }, key)
  }

  /** Answers in a thread, once for each `key`. */
  async reply(written: Written, key: string, { annotationId }: Thread): Promise<void> {
    await this.#change('commentannotations/comments/add', { annotationId, commentData: [written] }, key)
  }

  async edit(updatedData: Written, { annotationId, commentId }: CommentName): Promise<void> {
    await this.#change('commentannotations/comments/update', { annotationId, commentIds: [commentId], updatedData })
  }

  async remove({ annotationId, commentId }: CommentName): Promise<void> {
    await this.#change('commentannotations/comments/delete', { annotationId, commentIds: [commentId] })
  }

  async setResolved({ annotationId }: Thread, isResolved: boolean): Promise<void> {
    const updatedData = { status: isResolved ? RESOLVED : OPEN }
    await this.#change('commentannotations/update', { annotationIds: [annotationId], updatedData })
  }

  /** Makes a call and reads the threads again. */
  async #change(path: string, data: object, key?: string): Promise<void> {
    let results: Record<string, ItemResult> | unknown[] = {}
    try {
      results = await this.#connection.call(path, { ...this.#document, ...data }, key)
    } finally {
      this.count++
    }
    await this.#load()
    const failed = Object.values(results ?? {}).find((one) => (one as ItemResult | null)?.success === false)
    if (failed === undefined) return
    const { code, message = '' } = failed as ItemResult
    throw new CallError(code === 'permission-denied' ? 'PERMISSION_DENIED' : 'NOT_FOUND', message)
  }
}
