/** Threads, comments and notifications as the calls return them, reduced to what the elements use. */

/** Names a document. */
export interface DocumentName {
  organizationId: string
  documentId: string
}

/** Somebody who writes, is mentioned, or can be. */
export interface Person {
  userId: string
  name?: string
  email?: string
  photoUrl?: string
}

export interface Mention {
  userId: string
  text?: string
  contact: Person
}

interface Attachment {
  attachmentId: number
  name?: string
  url?: string
}

export interface Comment {
  commentId: number
  status: 'added' | 'updated'
  commentText: string
  commentHtml?: string
  createdAt: number
  from: Person
  taggedUserContacts: Mention[]
  attachments: Attachment[]
}

export interface Status {
  id: string
  name: string
  type: 'default' | 'ongoing' | 'terminal'
}

/** A W3C TextQuoteSelector: https://www.w3.org/TR/annotation-model/#text-quote-selector */
export interface TextQuote {
  type: 'TextQuoteSelector'
  exact: string
  prefix: string
  suffix: string
}

/** Where programs for the hosted original look: a text inside an element, and which of its occurrences, counted from 1. */
export interface TargetElement {
  elementId?: string
  targetText?: string
  occurrence?: number
}

export interface Thread {
  annotationId: string
  createdAt: number
  lastUpdated: number
  from: Person
  status: Status
  resolvedByUserId?: string
  resolvedByUser?: Person
  targetElement?: TargetElement
  context?: { selector?: TextQuote; [field: string]: unknown }
  metadata: { organizationId: string; documentId: string }
  comments: Comment[]
}

export interface Notification {
  id: string
  actionType?: string
  actionUser: Person
  timestamp: number
  displayHeadlineMessage?: string
  displayHeadlineMessageTemplate: string
  displayBodyMessage: string
  targetAnnotationId?: string
  isUnread?: boolean
  notificationSourceData: { pageInfo?: { url?: string }; [field: string]: unknown }
  metadata: { organizationId: string; documentId: string; documentMetadata?: { documentName?: string } }
}

export const OPEN: Status & object = { id: 'OPEN', name: 'Open', type: 'default' }
export const RESOLVED: Status & object = { id: 'RESOLVED', name: 'Resolved', type: 'terminal' }

export const isResolved = ({ status }: Pick<Thread, 'status'>): boolean => status.type === 'terminal'

/** Anything but spaces and characters that are not drawn; U+2800 is a letter of Braille without dots. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u

/** Returns whether a name can be read. */
export const isVisible = (name: string | undefined): name is string => name !== undefined && VISIBLE.test(name)

export const nameOf = ({ name, email, userId }: Person): string => [name, email].find(isVisible) ?? userId

/** Returns an address that a link may have, undefined for any other: scripts are addresses too. */
export function webAddress(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}
