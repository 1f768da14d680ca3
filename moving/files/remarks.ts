/** Remarks of a check about the lines of a file: refused, changed or omitted parts. */
import type { ExportRecord } from './records.ts'

/**
 * - `refused`: the line cannot be moved until it is corrected in the present service.
 * - `changed`: it is moved, but has another value or effect than in the present service.
 * - `leftOut`: it is not moved, because Commonhold has no counterpart or it has no effect any more.
 */
export const OUTCOMES = ['refused', 'changed', 'leftOut'] as const
export type RemarkOutcome = (typeof OUTCOMES)[number]

export interface Remark {
  line: number
  outcome: RemarkOutcome
  /** A stable code for programs. */
  reason: string
  /** The subject of the remark: `document acme/roadmap`. */
  what: string
  message: string
}

/** Names the subject of a record, in the words of the command line. */
export function nameOf(record: ExportRecord): string {
  switch (record.record) {
    case 'organization':
      return `organization ${record.organizationId}`
    case 'folder':
      return `folder ${record.organizationId}/${record.folderId}`
    case 'document':
      return `document ${record.organizationId}/${record.documentId}`
    case 'user':
    case 'disabledUser':
      return `user ${record.userId}`
    case 'grant': {
      const holder = record.userId ?? `group ${record.groupId}`
      const place = record.type === 'organization' ? record.id : `${record.organizationId}/${record.id}`
      return `grant of ${holder} on ${record.type} ${place}`
    }
    case 'domain':
      return `domain ${record.domain}`
    case 'webhookEndpoint':
      return `webhook endpoint ${record.url}`
    case 'userGroup':
      return `group ${record.organizationId}/${record.groupId}`
    case 'userGroupUser':
      return `member ${record.userId} of group ${record.organizationId}/${record.groupId}`
    default:
      return record.record
  }
}
