/** Reads the present state of access in one organization, as far as a question about the past needs it. */
import type { Client } from '../client.ts'
import type { CallOptions } from '../options.ts'
import { chunks } from '../shared/chunks.ts'
import { type AccessState, grantKey, type HeldGrant, keyOf, type Place } from './state.ts'

/** A page has a thousand grants. */
const GRANT_PAGES_MAX = 100

export class TooManyGrants extends Error {
  override readonly name = 'TooManyGrants'
}

/** Returns all grants of the organization and the settings of the key; the rest is read by the functions below. */
export async function presentState(
  client: Client,
  organizationId: string,
  options?: CallOptions,
): Promise<AccessState> {
  const { defaultDocumentAccessType, defaultAccessRole } = await client.keyConfig.get({}, options)
  const grants = new Map<string, HeldGrant>()
  let pages = 0
  for await (const { data } of client.grants.list.pages({ organizationId }, options)) {
    for (const { source: _, ...grant } of data.grants) grants.set(grantKey(grant), grant)
    if (++pages > GRANT_PAGES_MAX) throw new TooManyGrants('There are too many grants.')
  }
  return {
    grants,
    members: new Map(),
    parents: new Map(),
    accessTypes: new Map(),
    disabledUsers: new Set(),
    disabled: new Set(),
    absent: new Set(),
    declared: new Set(),
    defaults: { accessType: defaultDocumentAccessType, accessRole: defaultAccessRole },
  }
}

/** Any user id will do: the resources of a chain do not depend on the user. */
const ANYBODY = 'anybody'

/**
 * Adds the current place of a resource, the access types above it, and disabled resources. Returns the resources that were
 * read; only the resource itself if it was deleted.
 */
export async function addChain(
  client: Client,
  state: AccessState,
  organizationId: string,
  place: Place,
  options?: CallOptions,
): Promise<Place[]> {
  const resource = place.type === 'organization' ? place : { ...place, organizationId }
  const { chain } = await client.permissions.explain({ userId: ANYBODY, resource }, options)
  if (chain.length === 0) state.absent.add(keyOf(place))
  for (const [index, { accessType, added, disabled, ...one }] of chain.entries()) {
    const key = keyOf(one)
    const above = chain[index + 1]
    state.parents.set(key, above?.type === 'folder' ? above.id : undefined)
    if (accessType !== undefined) state.accessTypes.set(key, accessType)
    if (disabled) state.disabled.add(key)
    if (!added) for (const all of [state.absent, state.declared]) all.add(key)
  }
  return chain.length === 0 ? [place] : chain.map(({ type, id }) => ({ type, id }))
}

/** Adds who is in these user groups now. */
export async function addMembers(
  client: Client,
  state: AccessState,
  organizationId: string,
  groupIds: readonly string[],
  options?: CallOptions,
): Promise<void> {
  for (const groupId of groupIds) {
    const users = new Set<string>()
    const data = { organizationId, organizationUserGroupIds: [groupId] }
    for await (const page of client.users.get.pages(data, options))
      for (const { userId } of page.data) users.add(userId)
    state.members.set(groupId, users)
  }
}

/** Adds the user groups that a user is in now. */
export async function addGroupsOf(
  client: Client,
  state: AccessState,
  organizationId: string,
  userId: string,
  options?: CallOptions,
): Promise<void> {
  for await (const { data } of client.userData.get.pages({ organizationId, userId }, options))
    for (const { groupId } of data.userGroups) state.members.set(groupId, new Set([userId]))
}

/** Adds which of these users are disabled now. */
export async function addDisabledUsers(
  client: Client,
  state: AccessState,
  userIds: readonly string[],
  options?: CallOptions,
): Promise<void> {
  for (const some of chunks(userIds))
    for await (const { data } of client.disabledUsers.list.pages({ userIds: some }, options))
      for (const { userId } of data.users) state.disabledUsers.add(userId)
}
