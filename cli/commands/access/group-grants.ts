/** The grants of a user group, for the output of commands that change them or give them to its new members. */
import { type ListedGrant, listGrants } from '#contract/access/grants.ts'
import { removePermissions } from '#contract/access/permissions.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import { pagesOf } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import { withWarnings } from '../../connection/warnings.ts'
import type { Outcome } from '../../operation-command.ts'
import type { Existing } from '../../terminal/output.ts'
import { plain } from '../../terminal/terminal.ts'
import { fromNow, inUtc } from '../../times.ts'
import { foundBy } from '../structure/existing.ts'
import { placeOf, RESOURCES_MAX, type Resource } from './place.ts'

interface Group {
  groupId: string
  organizationId: string
}

interface Removing {
  group: Group
  permissions: { resources: readonly (Resource & { temporaryOnly?: boolean })[] }
}

/** A page scans thousands of resources. Nothing is said about a group whose grants take more pages to find. */
const PAGES_MAX = 3

/** Returns the live grants of a group; undefined if the token may not list them, or if there are too many of others. */
export const grantsOfGroup = (connection: Connection, group: Group): Promise<readonly ListedGrant[] | undefined> =>
  foundBy(async () => {
    const [found] = await withWarnings(() => scan(connection, group))
    return found
  })

async function scan(connection: Connection, { groupId, organizationId }: Group) {
  const found: ListedGrant[] = []
  let pages = 0
  for await (const { data, nextPageToken } of pagesOf(connection, listGrants, { organizationId })) {
    const { grants } = data as ResultOf<typeof listGrants>
    found.push(...grants.filter((grant) => grant.groupId === groupId && isLive(grant)))
    if (nextPageToken === undefined) return found
    if (++pages === PAGES_MAX) return undefined
  }
  return found
}

const isLive = ({ expiresAt }: ListedGrant): boolean => expiresAt === undefined || expiresAt * 1_000 > Date.now()

export const grantsOfGroupOn = (grants: readonly ListedGrant[] | undefined, { type, id }: Resource) =>
  grants?.filter((grant) => grant.type === type && grant.id === id)

/** Returns the resources on which the group has no such grant. To be called before the call. */
export async function groupWithoutGrant(connection: Connection, { group, permissions }: Removing): Promise<Existing> {
  const grants = await grantsOfGroup(connection, group)
  const without = permissions.resources.filter(({ temporaryOnly = false, ...on }) =>
    grantsOfGroupOn(grants, on)?.every(({ expiresAt }) => temporaryOnly && expiresAt === undefined),
  )
  return { unchanged: new Set(without.map((on) => placeOf({ ...on, organizationId: group.organizationId }))) }
}

export async function removedFromGroup(
  _connection: Connection,
  { group, permissions: { resources } }: Removing,
  without: ReadonlySet<string>,
): Promise<Outcome> {
  const { groupId, organizationId } = group
  const lines = resources.map(({ temporaryOnly = false, ...on }) => {
    const [place, grant] = [placeOf({ ...on, organizationId }), temporaryOnly ? 'temporary grant' : 'grant']
    return without.has(place)
      ? `group:${plain(groupId)} had no ${grant} on ${place}.`
      : `Removed the ${grant} of group:${plain(groupId)} on ${place}.`
  })
  return { lines: resources.length > RESOURCES_MAX ? [removePermissions.success] : lines, more: [], json: {} }
}

/** Returns what the users of a group have access to by its grants. */
export async function givenByGroup(connection: Connection, group: Group): Promise<Outcome> {
  const grants = await grantsOfGroup(connection, group)
  const name = `group:${plain(group.groupId)}`
  if (grants === undefined) return { lines: [], more: [], json: {} }
  const lines = grants.slice(0, RESOURCES_MAX).map(({ accessRole, expiresAt, type, id }) => {
    const end = expiresAt === undefined ? '' : `, until ${inUtc(expiresAt * 1_000)}, ${fromNow(expiresAt * 1_000)}`
    return `Members of ${name} have ${accessRole} on ${placeOf({ type, id, organizationId: group.organizationId })}${end}.`
  })
  const rest = grants.length - lines.length
  return {
    lines: grants.length === 0 ? [`${name} has no grants.`] : lines,
    more: rest === 0 ? [] : [`The group has ${rest} more ${rest === 1 ? 'grant' : 'grants'}: commonhold grant list`],
    json: {},
  }
}
