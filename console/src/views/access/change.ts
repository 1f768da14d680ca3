/** A change of access to one resource: what it would do, what it changes, and what takes it back. */
import { queryOptions } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import type {
  AccessRole,
  AccessType,
  ResourceName,
  SimulatedChange,
  SimulatePermissionsData,
} from '#sdk/generated/operations.ts'
import { refusals } from '../../queries/batch.ts'
import { ofKey } from '../../queries/keys.ts'
import { profilesAt } from '../../queries/people.ts'
import type { AccessEffect } from '../../queries/simulation.ts'
import type { Key } from '../../session/session.ts'

export interface Grant {
  accessRole: AccessRole
  /** Unix seconds. */
  expiresAt?: number
}

export interface Change {
  give?: readonly (Grant & { userId: string })[]
  /** Users whose grant on the resource is taken away. */
  take?: readonly string[]
  /** Null: it follows what is above it. */
  accessType?: AccessType | null
}

/** Where a change is made. */
export interface Place {
  key: Key
  organizationId: string
  resource: ResourceName
}

/** What a change replaces. */
export interface State {
  /** By user id; null: no live grant. */
  grants: Readonly<Record<string, Grant | null>>
  /** Of its own; absent: it is not changed. */
  accessType?: AccessType | null
}

export interface Preview extends AccessEffect {
  state: State
}

export const previewQuery = (place: Place, change: Change) =>
  queryOptions({
    queryKey: ofKey(place.key, 'preview', place.resource, change),
    queryFn: async (): Promise<Preview> => {
      const [state, page] = await Promise.all([readState(place, change), simulate(place, change)])
      return { state, ...page }
    },
    // Of this moment, never of an earlier one.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** Pages of a thousand changes: who is affected is listed, as long as one can read it. */
const PAGES_MAX = 10

async function simulate({ key, organizationId, resource: { type, id } }: Place, change: Change) {
  const { give = [], take = [], accessType } = change
  const own = accessType === null ? { inheritFromParent: true } : { accessType }
  const data: SimulatePermissionsData = {
    organizationId,
    ...(give.length > 0 && { add: give.map((grant) => ({ ...grant, resource: { type, id } })) }),
    ...(take.length > 0 && { remove: take.map((userId) => ({ userId, resource: { type, id } })) }),
    ...(accessType !== undefined &&
      type !== 'organization' && { accessTypes: [{ resource: { type, id }, ...own } as const] }),
  }
  try {
    let changes: SimulatedChange[] = []
    let pages = 0
    for await (const { data: page, nextPageToken } of key.client.permissions.simulate.pages(data)) {
      changes = [...changes, ...page.changes]
      if (nextPageToken === undefined || ++pages === PAGES_MAX)
        return { simulation: { ...page, changes }, more: nextPageToken !== undefined }
    }
  } catch (error) {
    if (!(error instanceof CommonholdError) || error.reason !== 'too_many_pairs') throw error
  }
  return { simulation: undefined, more: true }
}

export async function readState({ key, organizationId, resource }: Place, change: Change): Promise<State> {
  const userIds = [...(change.give ?? []).map(({ userId }) => userId), ...(change.take ?? [])]
  const [grants, explained] = await Promise.all([
    profilesAt(key, organizationId, [resource], userIds),
    change.accessType === undefined ? undefined : key.client.permissions.explain({ userId: 'anybody', resource }),
  ])
  return {
    grants: Object.fromEntries(userIds.map((id) => [id, grantOf(grants.get(id))])),
    ...(explained && { accessType: explained.chain[0]?.accessType ?? null }),
  }
}

export const grantOf = (of: { accessRole?: AccessRole; expiresAt?: number } | undefined): Grant | null =>
  of?.accessRole === undefined
    ? null
    : { accessRole: of.accessRole, ...(of.expiresAt === undefined ? {} : { expiresAt: of.expiresAt }) }

/** Grants and access types as they are when the change is made. */
export function stateAfter({ give = [], take = [], accessType }: Change): State {
  return {
    grants: Object.fromEntries([
      ...take.map((userId) => [userId, null] as const),
      ...give.map((grant) => [grant.userId, grantOf(grant)] as const),
    ]),
    ...(accessType === undefined ? {} : { accessType }),
  }
}

/** What brings a state back. */
export function changeTo({ grants, accessType }: State): Change {
  const entries = Object.entries(grants)
  return {
    give: entries.flatMap(([userId, grant]) => (grant === null ? [] : [{ userId, ...grant }])),
    take: entries.flatMap(([userId, grant]) => (grant === null ? [userId] : [])),
    ...(accessType === undefined ? {} : { accessType }),
  }
}

export const isSameState = (one: State, other: State): boolean =>
  one.accessType === other.accessType &&
  Object.keys(one.grants).every((userId) => isSameGrant(one.grants[userId], other.grants[userId]))

export const isSameGrant = (one: Grant | null | undefined, other: Grant | null | undefined): boolean =>
  one?.accessRole === other?.accessRole && one?.expiresAt === other?.expiresAt

export const isSamePreview = (one: Preview, other: Preview): boolean =>
  isSameState(one.state, other.state) && JSON.stringify(one.simulation) === JSON.stringify(other.simulation)

const CALLS_AT_ONCE = 8

/** Grants of many users are given in one call; they are taken away user by user. */
export async function apply({ key, organizationId, resource }: Place, change: Change): Promise<void> {
  const { give = [], take = [], accessType } = change
  const { type, id } = resource
  if (accessType !== undefined) {
    const own = { organizationId, ...(accessType === null ? { inheritFromParent: true } : { accessType }) }
    if (type === 'folder') refusals(await key.client.folderAccess.set({ ...own, folderIds: [id] }))
    else refusals(await key.client.documentAccess.set({ ...own, documentIds: [id] }))
  }
  if (give.length > 0) await key.client.grants.add({ grants: give.map((grant) => ({ ...grant, ...resource })) })
  for (let start = 0; start < take.length; start += CALLS_AT_ONCE)
    await Promise.all(
      take
        .slice(start, start + CALLS_AT_ONCE)
        .map((userId) => key.client.permissions.remove({ userId, permissions: { resources: [resource] } })),
    )
}
