/** The output of commands that give access: the role, the resource, the expiry, and who else has access. */

import { listPermittedUsers } from '#contract/access/access-lists.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import { CommonholdError } from '#sdk/errors.ts'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { isStronger } from '#sdk/shared/roles.ts'
import type { Parameter } from '../../command-parameters.ts'
import { call, pageOf } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import { withWarnings } from '../../connection/warnings.ts'
import type { Outcome } from '../../operation-command.ts'
import { UNCHANGED } from '../../terminal/output.ts'
import { plain, type Question } from '../../terminal/terminal.ts'
import { fromNow, inUtc } from '../../times.ts'
import { foundBy } from '../structure/existing.ts'
import { grantsOfGroup, grantsOfGroupOn } from './group-grants.ts'
import { placeOf, RESOURCES_MAX, type Resource } from './place.ts'

/** The access that a command gives, and its holders. */
export interface Given {
  to: { userId: string } | { groupId: string } | { email: string }
  resources: readonly (Resource & { accessRole?: string; expiresAt?: number; replaceExisting?: boolean })[]
}

const ROLE_QUESTION: Question = {
  message: 'Which role?',
  choices: [
    { value: 'viewer', hint: 'reads' },
    { value: 'editor', hint: 'reads and writes' },
  ],
  otherwise: 'Without --role the role is editor.',
}

/** The option for a role, which people are asked for when it is absent. */
export const roleOption = (at: string, otherwise = ROLE_QUESTION.otherwise): Parameter => ({
  flags: '--role <role>',
  at,
  ask: { ...ROLE_QUESTION, otherwise },
})

/** The number of users with access whom a command names. */
const NAMES_MAX = 3

interface Told {
  verb?: string
  /** From `earlierGrants`. */
  earlier?: ReadonlyMap<string, string>
}

/** Returns the given access, as sentences and as JSON. To be called after the grant. */
export async function grantedTo(
  connection: Connection,
  { to, resources }: Given,
  { verb = 'has', earlier }: Told = {},
): Promise<Outcome> {
  const holder = 'userId' in to ? to.userId : 'groupId' in to ? `group:${to.groupId}` : to.email
  const own = 'userId' in to ? to.userId : undefined
  const lines: string[] = []
  for (const { accessRole = 'editor', expiresAt, ...on } of resources) {
    const end = expiresAt === undefined ? '' : `, until ${inUtc(expiresAt * 1_000)}, ${fromNow(expiresAt * 1_000)}`
    const isAsked = expiresAt !== undefined && own !== undefined && resources.length <= RESOURCES_MAX
    const then = isAsked ? await afterwards(connection, own, accessRole, on) : ''
    const before = earlier?.get(placeOf(on)) ?? ''
    lines.push(`${plain(holder)} ${verb} ${accessRole} on ${placeOf(on)}${end}${then}.${before}`)
  }
  const others: string[] = []
  for (const on of resources.slice(0, RESOURCES_MAX)) others.push(...(await othersOn(connection, on, own)))
  const granted = resources.map(({ accessRole = 'editor', ...on }) => ({ ...to, ...on, accessRole }))
  return { lines, more: others, json: { granted } }
}

/** Returns who else has access; an empty list if the token may not read that. */
async function othersOn(connection: Connection, resource: Resource, own: string | undefined): Promise<string[]> {
  const { type, id, organizationId } = resource
  const on = { type, id, ...(type === 'organization' || organizationId === undefined ? {} : { organizationId }) }
  try {
    // Access for everyone is not repeated here, because the sentence and the warning of the grant say it.
    const [page] = await withWarnings(() =>
      pageOf(connection, listPermittedUsers, { resource: on, pageSize: NAMES_MAX + 2 }),
    )
    const { users, everyone, everyoneRole } = page.data as ResultOf<typeof listPermittedUsers>
    const others = users.filter(({ userId }) => userId !== own)
    const names = others.slice(0, NAMES_MAX).map(({ userId, accessRole }) => `${plain(userId)} (${accessRole})`)
    const rest = others.length > names.length || page.nextPageToken !== undefined ? ['others'] : []
    const all = [...(everyone ? [`everyone (${everyoneRole})`] : []), ...names, ...rest]
    const listed = new Intl.ListFormat('en').format(all)
    return [`Also with access to ${placeOf(resource)}: ${all.length === 0 ? 'nobody' : listed}.`]
  } catch (error) {
    if (error instanceof CommonholdError) return []
    throw error
  }
}

/** Returns the grants of the user on the resource itself. */
export async function grantsOn(connection: Connection, userId: string, { type, id, organizationId }: Resource) {
  const on = { type, id, ...(type === 'organization' ? {} : { organizationId }) }
  const [explained] = await withWarnings(() => call(connection, explainPermissions, { userId, resource: on }))
  const { chain } = explained as ResultOf<typeof explainPermissions>
  const own = chain.find((entry) => entry.type === type && entry.id === id)?.grants ?? []
  return own.filter(({ groupId }) => groupId === undefined)
}

/** `, then viewer again`: what the standing grant gives beside the temporary one; empty if the token may not ask. */
async function afterwards(connection: Connection, userId: string, role: string, on: Resource): Promise<string> {
  try {
    const standing = (await grantsOn(connection, userId, on)).find(
      ({ expiresAt }) => expiresAt === undefined,
    )?.accessRole
    if (standing === undefined) return ''
    return isStronger(role as AccessRole, standing)
      ? `, then ${standing} again`
      : `. The standing grant as ${standing} stays and is at least as strong, so the access does not change`
  } catch (error) {
    if (error instanceof CommonholdError) return ''
    throw error
  }
}

/**
 * Returns a sentence about what each grant replaces, by the name of the resource. To be called before the grant; empty if the
 * token may not ask.
 */
export async function earlierGrants(
  connection: Connection,
  { to, resources }: Given,
): Promise<ReadonlyMap<string, string>> {
  const earlier = new Map<string, string>()
  if ('email' in to) return earlier
  const organizationId = resources[0]?.organizationId ?? ''
  const ofGroup = 'groupId' in to ? await grantsOfGroup(connection, { groupId: to.groupId, organizationId }) : undefined
  for (const { accessRole = 'editor', expiresAt, replaceExisting, ...resource } of resources.slice(0, RESOURCES_MAX)) {
    const { type, id, organizationId } = resource
    const on = { type, id, ...(organizationId && { organizationId }) }
    const own =
      'userId' in to ? await foundBy(() => grantsOn(connection, to.userId, on)) : grantsOfGroupOn(ofGroup, resource)
    // A user has one standing and one temporary grant on a resource.
    const isKind = (grant: { expiresAt?: number }) => (grant.expiresAt === undefined) === (expiresAt === undefined)
    const replaced = own?.filter((grant) => replaceExisting === true || isKind(grant)) ?? []
    if (replaced.length === 0) continue
    const isSame = replaced.every((grant) => grant.accessRole === accessRole && grant.expiresAt === expiresAt)
    earlier.set(placeOf(on), ` ${isSame ? UNCHANGED : `Before: ${replaced.map(roleOf).join(' and ')}.`}`)
  }
  return earlier
}

const roleOf = ({ accessRole, expiresAt }: { accessRole: string; expiresAt?: number }): string =>
  expiresAt === undefined ? accessRole : `${accessRole} until ${inUtc(expiresAt * 1_000)}`
