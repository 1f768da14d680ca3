/** Commands for the inbox of a user. */
import { getNotifications } from '#contract/notifications/notifications.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { table } from '../../terminal/output.ts'
import { column, milliseconds } from '../../terminal/table.ts'
import { ORG } from '../parameters.ts'
import { DOCUMENT } from './parameters.ts'

export const INBOX_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'inbox',
    operation: getNotifications,
    summary: 'List the notifications of a user',
    parameters: [{ flags: '<user>', at: 'userId' }, ORG, { ...DOCUMENT, help: 'Only of this document.' }],
    limit: 50,
    show: table([
      column('TIME', 'timestamp', milliseconds),
      column('UNREAD', 'isUnread'),
      column('DOCUMENT', 'metadata.documentId'),
      column('THREAD', 'targetAnnotationId'),
      column('HEADLINE', 'displayHeadlineMessage'),
      column('TEXT', 'displayBodyMessage'),
      column('ID', 'id'),
    ]),
    examples: ['commonhold inbox ada --org acme'],
  },
]
