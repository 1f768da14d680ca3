/** Commands for the grants of user groups and for the list of all grants. */
import { listGrants } from '#contract/grants.ts'
import { addPermissions, removePermissions } from '#contract/permissions.ts'
import type { OperationCommand, Parameter } from '../operation-command.ts'
import { done, table } from '../output.ts'
import { column, resource, seconds } from '../table.ts'
import { endSeconds } from '../values.ts'
import { RESOURCES } from './access.ts'

const GROUP: Parameter = { flags: '<group>', at: 'group.groupId' }
const ORG: Parameter = { flags: '-o, --org <organization>', at: 'group.organizationId' }

export const GROUP_GRANT_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'group grant',
    operation: addPermissions,
    summary: 'Grant a role to all users in a user group',
    parameters: [
      GROUP,
      RESOURCES,
      ORG,
      { flags: '--role <role>', at: 'permissions.resources[].accessRole' },
      {
        flags: '--expires <when>',
        at: 'permissions.resources[].expiresAt',
        help: 'When the grant expires: 30d, or a time.',
        read: endSeconds,
      },
      {
        flags: '--replace',
        at: 'permissions.resources[].replaceExisting',
        help: 'Replace the standing and the temporary grant with this one.',
      },
    ],
    show: done,
    examples: ['commonhold group grant design folder:plans --org acme --role editor'],
  },
  {
    name: 'group revoke',
    operation: removePermissions,
    summary: 'Revoke grants of a user group',
    parameters: [
      GROUP,
      RESOURCES,
      ORG,
      {
        flags: '--temporary',
        at: 'permissions.resources[].temporaryOnly',
        help: 'Only the temporary grant; the standing one stays.',
      },
    ],
    show: done,
    examples: ['commonhold group revoke design folder:plans --org acme'],
  },
  {
    name: 'grant list',
    operation: listGrants,
    parameters: [{ flags: '-o, --org <organization>', at: 'organizationId' }],
    show: table(
      [
        column('USER', 'userId'),
        column('GROUP', 'groupId'),
        column('ON', '', resource),
        column('ROLE', 'accessRole'),
        column('EXPIRES', 'expiresAt', seconds),
      ],
      'grants',
    ),
    examples: ['commonhold grant list --org acme'],
  },
]
