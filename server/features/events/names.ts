/** Finds the names of the things that the events of a page mention. */
import type { Event, EventName } from '#contract/events/events.ts'
import type { Kernel } from '#kernel'
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { NAME_OPERATORS, NAME_THINGS } from './name-statements.ts'

/** The owner of the named things: one API key, or a workspace with its API keys and operators. */
export type NameScope = Pick<Caller, 'workspaceId'> & Partial<Pick<Caller, 'apiKeyId'>>

type Thing = Omit<EventName, 'name' | 'email'> & { apiKey: string | undefined }

/** Returns the names, each once. Things without a name are absent. */
export async function namesIn(
  { home, kernels }: { home: Db; kernels: readonly Kernel[] },
  scope: NameScope,
  events: readonly Event[],
): Promise<EventName[]> {
  const things = [...new Map(events.flatMap(thingsOf).map((thing) => [JSON.stringify(thing), thing])).values()]
  if (things.length === 0) return []
  const { workspaceId } = scope
  const operators = things.filter(({ kind }) => kind === 'operator')
  const others = things.filter(({ kind }) => kind !== 'operator')
  const named = new Map<Thing, Omit<EventName, 'kind' | 'id'>>()
  if (operators.length > 0) {
    const rows = await home.runSet(
      NAME_OPERATORS,
      operators.map(({ id }) => ({ id, workspaceId })),
    )
    for (const { ord, name } of rows) named.set(operators[ord - 1] as Thing, { name })
  }
  // The things that events of a workspace mention may be in any of its databases; each database names those it has.
  for (const { db } of others.length > 0 ? kernels : []) {
    const rows = await db.runSet(
      NAME_THINGS,
      others.map((thing) => rowOf(thing, scope)),
    )
    for (const { ord, name, email } of rows)
      if (name !== null || email !== null)
        named.set(others[ord - 1] as Thing, {
          ...(name === null ? {} : { name }),
          ...(email === null ? {} : { email }),
        })
  }
  return things.flatMap((thing) => {
    const found = named.get(thing)
    const { apiKey: _, ...named_ } = thing
    return found === undefined ? [] : [{ ...named_, ...found }]
  })
}

/** Only the caller's own API key gives keys of rows: an event of a workspace is about any of its API keys. */
function rowOf({ kind, id, organizationId, apiKey }: Thing, { workspaceId, apiKeyId }: NameScope) {
  const owner = kind === 'organization' ? id : organizationId
  return {
    kind,
    id,
    resourceKind: kind === 'folder' || kind === 'document' ? kind : null,
    workspaceId,
    apiKeyId: apiKeyId ?? apiKey ?? null,
    organizationKey: owner === undefined || apiKeyId === undefined ? null : organizationKey({ apiKeyId }, owner),
  }
}

/** Returns everything with an id in an event that can have a name. */
function thingsOf({
  type,
  actor,
  apiKey,
  organizationId,
  resource,
  groupId,
  userId,
  before = {},
  after = {},
}: Event): Thing[] {
  // The values of users are profiles, with fields as the application names them: an operatorId there is of no operator.
  const states = type.startsWith('user.') ? [] : [before, after]
  const idsIn = (field: string): string[] =>
    states.flatMap((state) => {
      const id = (state as Record<string, unknown>)[field]
      return typeof id === 'string' ? [id] : []
    })
  const inside = organizationId === undefined ? {} : { organizationId }
  const folders = [...idsIn('folderId'), ...idsIn('parentFolderId')]
  const groups = [...idsIn('groupId'), ...(groupId === undefined ? [] : [groupId])]
  const things: Omit<Thing, 'apiKey'>[] = [
    ...[apiKey, actor.apiKey].flatMap((id) => (id === undefined ? [] : [{ kind: 'apiKey' as const, id }])),
    ...idsIn('operatorId').map((id) => ({ kind: 'operator' as const, id })),
    ...idsIn('endpointId').map((id) => ({ kind: 'webhookEndpoint' as const, id })),
  ]
  for (const id of [userId, actor.userId]) if (id !== undefined) things.push({ kind: 'user', id })
  if (organizationId !== undefined) {
    things.push({ kind: 'organization', id: organizationId })
    things.push(...groups.map((id) => ({ kind: 'userGroup' as const, id, ...inside })))
    things.push(...folders.map((id) => ({ kind: 'folder' as const, id, ...inside })))
    if (resource !== undefined && resource.type !== 'organization')
      things.push({ kind: resource.type, id: resource.id, ...inside })
  }
  return things.map((thing) => ({ ...thing, apiKey }))
}
