/** Finds several records with the same id in one portion: the last counts, or the one before it if the last is refused. */

import { foldedAddress } from '#contract/core/addresses.ts'
import type { DataRecord } from '../files/records.ts'
import type { Item } from './batches.ts'

/** Returns the last record for each id, and adds to `earlier` which one was before another. */
export function deduplicate(items: readonly Item[], earlier: Map<Item, Item>): Item[] {
  const last = new Map<string, Item>()
  for (const item of items) {
    const id = idOf(item.record)
    const previous = last.get(id)
    if (previous !== undefined) earlier.set(item, previous)
    last.delete(id)
    last.set(id, item)
  }
  return [...last.values()]
}

function idOf(record: DataRecord): string {
  switch (record.record) {
    case 'settings':
      return ''
    case 'domain':
      return record.domain
    case 'user':
    case 'disabledUser':
      return record.userId
    case 'organization':
      return record.organizationId
    case 'folder':
      return joined(record.organizationId, record.folderId)
    case 'document':
      return joined(record.organizationId, record.documentId)
    case 'grant':
      return joined(record.organizationId ?? '', record.type, record.id, ...holderOf(record), kindOf(record))
    case 'invitation': {
      const { organizationId, type, documentId = '', folderId = '', email } = record
      return joined(organizationId, type, documentId, folderId, foldedAddress(email))
    }
    case 'userGroup':
      return joined(record.organizationId, record.groupId)
    case 'webhookEndpoint':
      return record.uid
    case 'thread':
      return joined(record.organizationId, record.documentId, record.annotationId)
    case 'comment':
      return joined(record.organizationId, record.documentId, record.annotationId, String(record.commentId))
    case 'threadUser':
      return joined(record.organizationId, record.documentId, record.annotationId, record.userId)
    case 'notification':
      return joined(record.organizationId, record.notificationId)
    case 'notificationRecipient':
      return joined(record.organizationId, record.notificationId, record.userId)
    case 'notificationPreference':
      return joined(record.organizationId, record.documentId ?? '', record.userId)
    case 'activity':
      return joined(record.organizationId, record.id)
    case 'userGroupUser':
      return joined(record.organizationId, record.groupId, record.userId)
  }
}

const holderOf = ({ userId = '', groupId = '' }: DataRecord & { record: 'grant' }) => [userId, groupId]

/** A temporary grant is kept in addition to a standing one, and a grant that replaces both affects later ones. */
const kindOf = ({ expiresAt, replaceExisting = false }: DataRecord & { record: 'grant' }): string =>
  `${expiresAt === undefined} ${replaceExisting}`

/** Joins several ids into one text without ambiguity. */
const joined = (...texts: readonly string[]): string => texts.map((text) => `${text.length} ${text}`).join('')
