/** The threads of comments of an organization, and the changes that a moderator makes in them. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { CommentRecord, ThreadRecord } from '#sdk/generated/operations.ts'
import { withNames } from '#sdk/shared/comment-text.ts'
import type { ThreadsSearch } from '../../links/searches.ts'
import type { Key } from '../../session/session.ts'
import { shownName } from '../../shown-name.ts'
import { queryKeyOf, refetchingAll } from '../keys/keys.ts'
import { pagesQuery } from '../pages/pages.ts'

export interface ThreadFilter extends ThreadsSearch {
  organizationId: string
}

export interface ThreadName {
  organizationId: string
  documentId: string
  annotationId: string
}

export const nameOfThread = ({ annotationId, metadata }: ThreadRecord): ThreadName => ({
  organizationId: metadata.organizationId,
  documentId: metadata.documentId,
  annotationId,
})

export const isResolved = ({ status }: ThreadRecord): boolean => status.type === 'terminal'

/** Returns the text of a comment with the names of mentioned people. HTML is never shown, only the text in it. */
export function textOf(comment: CommentRecord): string {
  const { commentText, commentHtml = '' } = comment
  // A document that is parsed runs no scripts and loads nothing.
  const text =
    commentText === '' ? new DOMParser().parseFromString(commentHtml, 'text/html').body.textContent : commentText
  return withNames(text, comment)
}

/** A comment has no name: for screen readers, its actions have the beginning of its text. */
const NAMED_BY_MAX = 60

/** Returns the author of a comment and the beginning of its text. */
export const authorAndText = (comment: CommentRecord): string =>
  `${shownName(comment.from.name, comment.from.userId)}: ${textOf(comment).slice(0, NAMED_BY_MAX)}`

const STATUS_TYPES = { open: ['default', 'ongoing'], resolved: ['terminal'] } as const

const USER_FILTERS = { author: 'userIds', mentioned: 'mentionedUserIds', assigned: 'assignedUserIds' } as const

export const threadsQuery = (key: Key, filter: ThreadFilter) => {
  const { organizationId, documentId, userId, as = 'author', state, priority, text = '' } = filter
  return pagesQuery({
    queryKey: queryKeyOf(key, 'threads', filter),
    method: key.client.threads.get,
    data: {
      organizationId,
      pageSize: 100,
      ...(documentId !== undefined && { documentId }),
      ...(userId !== undefined && { [USER_FILTERS[as]]: [userId] }),
      ...(state !== undefined && { statusTypes: [...STATUS_TYPES[state]] }),
      ...(priority !== undefined && { priorityIds: [priority] }),
      ...(text.trim() !== '' && { text: text.trim() }),
    },
    rowsOf: (found) => found as ThreadRecord[],
  })
}

/** One thread; null: there is none. */
export const threadQuery = (key: Key, { organizationId, documentId, annotationId }: ThreadName) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'threads', { organizationId, documentId, annotationId }),
    queryFn: async ({ signal }) => {
      const data = { organizationId, documentId, annotationIds: [annotationId] }
      const [thread = null] = (await key.client.threads.get(data, { signal })) as (ThreadRecord | null)[]
      return thread
    },
  })

const STATUSES = {
  resolved: { id: 'RESOLVED', name: 'Resolved', type: 'terminal' },
  open: { id: 'OPEN', name: 'Open', type: 'default' },
} as const

export const setThreadState = (key: Key, { organizationId, documentId, annotationId }: ThreadName) =>
  mutationOptions({
    mutationFn: (state: keyof typeof STATUSES) =>
      key.client.threads.update({
        organizationId,
        documentId,
        annotationIds: [annotationId],
        updatedData: { status: STATUSES[state] },
      }),
    meta: refetchingAll(key),
  })

export const deleteThread = (key: Key, { organizationId, documentId, annotationId }: ThreadName) =>
  mutationOptions({
    mutationFn: () => key.client.threads.delete({ organizationId, documentId, annotationIds: [annotationId] }),
    meta: refetchingAll(key),
  })

export const deleteComment = (key: Key, thread: ThreadName) =>
  mutationOptions({
    mutationFn: (commentId: number) => key.client.comments.delete({ ...thread, commentIds: [commentId] }),
    meta: refetchingAll(key),
  })
