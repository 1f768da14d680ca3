/** Commands for the grants of users and user groups. */
import { listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import type { OperationCommand, Parameter } from '../operation-command.ts'
import { done, table } from '../output.ts'
import { column, resource, seconds } from '../table.ts'
import { endSeconds } from '../values.ts'
import { OF_EACH, RESOURCES } from './resource-parameters.ts'
import { unknownResources } from './unknown-resources.ts'

const GROUP: Parameter = { flags: '<group>', at: 'group.groupId' }
const ORG: Parameter = { flags: '-o, --org <organization>', at: 'group.organizationId' }

const GRANT_OPTIONS: readonly Parameter[] = [
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
]

const TEMPORARY: Parameter = {
  flags: '--temporary',
  at: 'permissions.resources[].temporaryOnly',
  help: 'Only the temporary grant; the standing one stays.',
}

export const GRANT_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'grant add',
    operation: addPermissions,
    parameters: [{ flags: '<user>', at: 'user.userId' }, RESOURCES, OF_EACH, ...GRANT_OPTIONS],
    caution: unknownResources,
    show: done,
    examples: [
      'commonhold grant add ada document:roadmap --org acme --role editor --expires 30d',
      'commonhold grant add ada document:roadmap --org acme --expires 30d --replace',
    ],
  },
  {
    name: 'grant remove',
    operation: removePermissions,
    parameters: [{ flags: '<user>', at: 'userId' }, RESOURCES, OF_EACH, TEMPORARY],
    show: done,
    examples: [
      'commonhold grant remove ada document:roadmap --org acme',
      'commonhold grant remove ada document:roadmap --org acme --temporary',
    ],
  },
  {
    name: 'group grant',
    operation: addPermissions,
    summary: 'Grant a role to all users in a user group',
    parameters: [GROUP, RESOURCES, ORG, ...GRANT_OPTIONS],
    caution: unknownResources,
    show: done,
    examples: ['commonhold group grant design folder:plans --org acme --role editor'],
  },
  {
    name: 'group revoke',
    operation: removePermissions,
    summary: 'Revoke grants of a user group',
    parameters: [GROUP, RESOURCES, ORG, TEMPORARY],
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
        column('SOURCE'),
      ],
      'grants',
    ),
    examples: ['commonhold grant list --org acme'],
  },
]
