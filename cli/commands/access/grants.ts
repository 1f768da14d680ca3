/** Commands for the grants of users and user groups. */
import { type ListedGrant, listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { CommonholdError } from '#sdk/errors.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand, Outcome } from '../../operation-command.ts'
import { done, table } from '../../terminal/output.ts'
import { column, type Format, milliseconds, resource, seconds, written } from '../../terminal/table.ts'
import { plain } from '../../terminal/terminal.ts'
import { A_TIME, endSeconds } from '../../times.ts'
import { OF_EACH, RESOURCES } from '../parameters.ts'
import { earlierGrants, type Given, grantedTo, roleOption } from './granted.ts'
import { groupWithoutGrant, removedFromGroup } from './group-grants.ts'
import { removed, withoutGrant } from './removed.ts'

const GROUP: Parameter = { flags: '<group>', at: 'group.groupId' }
const ORG: Parameter = { flags: '-o, --org <organization>', at: 'group.organizationId' }

const GRANT_OPTIONS: readonly Parameter[] = [
  roleOption('permissions.resources[].accessRole'),
  {
    flags: '--expires <when>',
    at: 'permissions.resources[].expiresAt',
    help: `When the grant expires: ${A_TIME}`,
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
    caution: async (connection, data: Granting) =>
      [groupAsUser(data), await unknownResources(connection, data)].filter((text) => text !== undefined).join(' ') ||
      undefined,
    earlier: (connection, data: Granting) => earlierGrants(connection, givenBy(data)),
    outcome: granted,
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
    existing: withoutGrant,
    outcome: removed,
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
    earlier: (connection, data: Granting) => earlierGrants(connection, givenBy(data)),
    outcome: granted,
    show: done,
    examples: ['commonhold group grant design folder:plans --org acme --role editor'],
  },
  {
    name: 'group revoke',
    operation: removePermissions,
    summary: 'Revoke grants of a user group',
    parameters: [GROUP, RESOURCES, ORG, TEMPORARY],
    existing: groupWithoutGrant,
    outcome: removedFromGroup,
    show: done,
    examples: ['commonhold group revoke design folder:plans --org acme'],
  },
  {
    name: 'grant list',
    operation: listGrants,
    parameters: [
      { flags: '-o, --org <organization>', at: 'organizationId' },
      { flags: '--history', at: 'includeHistory' },
    ],
    show: ({ includeHistory }: { includeHistory?: boolean }) =>
      table([...GRANT_COLUMNS, ...(includeHistory ? HISTORY_COLUMNS : [])], 'grants'),
    examples: ['commonhold grant list --org acme', 'commonhold grant list --org acme --history'],
  },
]

const GRANT_COLUMNS = [
  column('USER', 'userId'),
  column('GROUP', 'groupId'),
  column('ON', '', resource),
  column('ROLE', 'accessRole'),
  column('EXPIRES', 'expiresAt', seconds),
  column('SOURCE'),
]

/** The author of a grant: the person of the console, the user who shared the document, or the name of the token. */
const setBy: Format = (actor) => {
  const { operator, token, userId, system } = (actor ?? {}) as NonNullable<ListedGrant['grantedBy']>
  return written(operator?.name ?? userId ?? token ?? system)
}

const HISTORY_COLUMNS = [
  column('SINCE', 'grantedAt', milliseconds),
  column('BY', 'grantedBy', setBy),
  column('LAST ACTIVE', 'lastActiveAt', milliseconds),
]

const givenBy = ({ user, group, permissions }: Granting): Given => ({
  to: user ?? { groupId: group?.groupId ?? '' },
  resources: permissions.resources.map((resource) => ({
    ...(group === undefined ? {} : { organizationId: group.organizationId }),
    ...resource,
  })),
})

function granted(
  connection: Connection,
  data: Granting,
  _unchanged: ReadonlySet<string>,
  earlier: ReadonlyMap<string, string>,
): Promise<Outcome> {
  return grantedTo(connection, givenBy(data), { earlier })
}

interface Granting {
  user?: { userId: string }
  group?: { groupId: string; organizationId: string }
  permissions: {
    resources: Given['resources']
  }
}

/** Commands print groups as `group:ID`. The id of a user may be written the same way, so the grant is made. */
function groupAsUser({ user }: Granting): string | undefined {
  const [, group] = /^group:(.+)$/.exec(user?.userId ?? '') ?? []
  if (group === undefined) return undefined
  const name = plain(group)
  return `The grant is for a user with the id group:${name}. For the user group ${name}: commonhold group grant ${name} RESOURCE --org ORGANIZATION, and revoke this grant.`
}

/**
 * Returns a sentence that names the resources of the call that do not exist yet; undefined if all do, or if the token may not ask. To be
 * called before the grant, which declares them.
 */
async function unknownResources(connection: Connection, data: Granting): Promise<string | undefined> {
  const { user, group, permissions } = data
  // Whether a resource exists does not depend on the user of the question.
  const userId = user?.userId ?? group?.groupId ?? ''
  const place = group === undefined ? {} : { organizationId: group.organizationId }
  const resources = permissions.resources.map((resource) => ({ ...place, ...resource }))
  try {
    const { checks } = await connection.forKey().permissions.check({
      checks: resources.map(({ type, id, organizationId }) => ({
        userId,
        resource: { type, id, ...(organizationId === undefined || type === 'organization' ? {} : { organizationId }) },
      })),
    })
    const unknown = resources.filter((_, index) => checks[index]?.reason === 'does_not_exist')
    if (unknown.length === 0) return undefined
    const names = unknown.map(({ type, id }) => plain(`${type}:${id}`)).join(', ')
    return `Not added before: ${names}. The grant has declared ${unknown.length === 1 ? 'it' : 'them'}. If an id is misspelt, revoke the grant. To refuse such grants: commonhold settings set --require-known-resources true`
  } catch (error) {
    if (error instanceof CommonholdError) return undefined // the grant itself reports the fault
    throw error
  }
}
