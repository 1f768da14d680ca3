/** The elements as programs see them: their properties, methods and events. Their classes stay inside the package. */
import type { Options } from './connection/options.ts'

/** The properties that all elements have. An absent one is that of `configure`. */
export interface ConnectedProperties extends Options {
  organizationId?: string | undefined
}

export interface CommentsProperties extends ConnectedProperties {
  documentId?: string | undefined
  /** The id of the element with the text. Without it, threads are about the whole page. */
  for?: string | undefined
  filter?: 'open' | 'resolved' | 'all' | undefined
  /** The address that notifications and mails lead to. Default: that of the page. */
  pageUrl?: string | undefined
}

/** `<commonhold-comments>`. Events: `commonhold-threads` after each reading of the threads, `commonhold-seen`. */
export interface CommentsElement extends HTMLElement, CommentsProperties {
  /** Reads the threads again. */
  refresh(): Promise<void>
  /** Shows a thread, and gives it the focus. Returns false if there is no such thread. */
  showThread(annotationId: string): Promise<boolean>
}

/** `<commonhold-inbox>`. Events: `commonhold-unread`, and `commonhold-open`, which `preventDefault()` keeps from following the link. */
export interface InboxElement extends HTMLElement, ConnectedProperties {
  /** Reads the notifications again. */
  refresh(): Promise<void>
}

export interface SharingProperties extends ConnectedProperties {
  documentId?: string | undefined
}

/** `<commonhold-share>` and `<commonhold-access>`. Event: `commonhold-shared` after each change, which bubbles. */
export interface SharingElement extends HTMLElement, SharingProperties {
  /** Opens the dialog. */
  show(): Promise<void>
  /** Reads again who has access, while the dialog is open. */
  refresh(): Promise<void>
}

export interface SharedDetail {
  /** The changes of grants on the document, with their holders. */
  changes: { userId?: string; groupId?: string; effect: 'given' | 'changed' | 'removed' | 'unchanged' }[]
}

export interface ThreadsDetail {
  threads: number
  open: number
}

export interface OpenDetail {
  organizationId: string
  documentId: string
  annotationId: string | undefined
  url: string | undefined
}

declare global {
  interface HTMLElementTagNameMap {
    'commonhold-comments': CommentsElement
    'commonhold-inbox': InboxElement
    'commonhold-share': SharingElement
    'commonhold-access': SharingElement
  }
  interface HTMLElementEventMap {
    'commonhold-threads': CustomEvent<ThreadsDetail>
    'commonhold-seen': CustomEvent<undefined>
    'commonhold-unread': CustomEvent<{ unread: number }>
    'commonhold-open': CustomEvent<OpenDetail>
    'commonhold-shared': CustomEvent<SharedDetail>
  }
}
