/** Commands for the data about a user, and for the jobs that erase it and revoke access. */
import { getUserAccessRevocation } from '#contract/users/user-access.ts'
import { deleteUserData, getUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { record, table } from '../../terminal/output.ts'
import { column, valueAt, written } from '../../terminal/table.ts'
import { ORG } from '../parameters.ts'
import { USERS } from './users.ts'

export const USER_DATA_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'user data',
    operation: getUserData,
    parameters: [{ flags: '<user>', at: 'userId' }, ORG],
    show: {
      ...table([
        column('ORGANIZATION', 'organizationId'),
        column('PROFILE'),
        column('GRANTS', 'grants', count),
        column('GROUPS', 'userGroups', count),
        column('INVITATIONS', 'invitations', count),
        column('COMMENTS', 'comments', count),
        column('MENTIONS', 'mentions', count),
        column('NOTIFICATIONS', 'notifications', count),
        column('ACTIVITIES', 'activities', count),
        column('EVENTS', 'events', count),
      ]),
      isRow: true,
    },
    examples: ['commonhold user data ada --json > ada.ndjson'],
  },
  {
    name: 'user erase',
    operation: deleteUserData,
    parameters: [
      USERS,
      { flags: '--only <organization...>', at: 'organizationIds', help: 'Only in these organizations.' },
    ],
    confirm: ({ userIds }: { userIds: string[] }) => `Erase all data about ${userIds.join(', ')}?`,
    show: record,
    examples: ['commonhold user erase ada'],
  },
  {
    name: 'user erasure',
    operation: getUserDataDeletion,
    parameters: [{ flags: '<job>', at: 'jobId', help: 'The jobId from the result of `user erase`.' }],
    show: record,
    examples: ['commonhold user erasure b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11'],
  },
  {
    name: 'user revocation',
    operation: getUserAccessRevocation,
    parameters: [{ flags: '<job>', at: 'jobId', help: 'The jobId from the result of `user revoke`.' }],
    show: record,
    examples: ['commonhold user revocation b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11'],
  },
]

function count(value: unknown): string {
  return written(valueAt(value, 'length'))
}
