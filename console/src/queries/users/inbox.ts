/** The inbox of a user, grouped by thread. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Notification } from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { firstPage } from '../pages/pages.ts'

export const inboxQuery = (key: Key, organizationId: string, userId: string) =>
  infiniteQueryOptions({
    queryKey: queryKeyOf(key, 'inbox', organizationId, userId),
    queryFn: ({ pageParam, signal }) =>
      firstPage(
        key.client.notifications.get.pages(
          { organizationId, userId, pageSize: 100, ...(pageParam !== '' && { pageToken: pageParam }) },
          { signal },
        ),
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
  })

export interface InboxGroup {
  id: string
  documentId: string
  /** Absent: a notification that is not about a thread. */
  annotationId?: string
  unread: number
  /** The newest first. */
  notifications: readonly Notification[]
}

/** Groups notifications, the newest first, by their threads; others stand alone. `words` are searched in headlines, texts and documents. */
export function grouped(notifications: readonly Notification[], words: string): InboxGroup[] {
  const groups = Map.groupBy(notifications, ({ id, metadata, targetAnnotationId }) =>
    targetAnnotationId === undefined ? id : JSON.stringify([metadata.documentId, targetAnnotationId]),
  )
  const searched = words.trim().toLowerCase()
  return [...groups].flatMap(([id, list]) => {
    const [{ metadata, targetAnnotationId }] = list as [Notification]
    const isFound = [metadata.documentId, ...list.flatMap(textsOf)].some((text) =>
      text.toLowerCase().includes(searched),
    )
    return isFound
      ? [
          {
            ...{ id, documentId: metadata.documentId, notifications: list },
            ...(targetAnnotationId !== undefined && { annotationId: targetAnnotationId }),
            unread: list.filter(({ isUnread }) => isUnread).length,
          },
        ]
      : []
  })
}

const textsOf = ({ displayHeadlineMessage = '', displayBodyMessage }: Notification): string[] => [
  displayHeadlineMessage,
  displayBodyMessage,
]
