/**
 * The facts that decide about access in one organization at one moment, and the decision (rules/access.md#decision).
 * They are rebuilt from events, so they only describe the past: `permissions/check` decides about the present.
 */
import type { AccessRole, AccessType, ResourceType } from '../generated/operations.ts'
import { strongest } from '../shared/roles.ts'

export interface Place {
  type: ResourceType
  id: string
}

/** A standing grant, or with an expiry a temporary one, of a user or a user group. */
export interface HeldGrant extends Place {
  userId?: string
  groupId?: string
  accessRole: AccessRole
  /** Unix seconds. */
  expiresAt?: number
}

/** Everything by keys made with `keyOf`. */
export interface AccessState {
  grants: Map<string, HeldGrant>
  /** The users of each group. */
  members: Map<string, Set<string>>
  /** The folder that a folder or document is in; undefined: the top of the organization. */
  parents: Map<string, string | undefined>
  /** Own access types. */
  accessTypes: Map<string, AccessType>
  disabledUsers: Set<string>
  /** Disabled documents, and the organization. */
  disabled: Set<string>
  /** Resources that were not added yet, or were deleted. */
  absent: Set<string>
  /** The absent ones that still exist, because grants have named them. */
  declared: Set<string>
  defaults: { accessType: AccessType; accessRole: AccessRole }
}

export const keyOf = ({ type, id }: Place): string => `${type} ${id}`

/** A principal has at most one standing and one temporary grant on each resource. */
export const grantKey = ({ userId, groupId, type, id, expiresAt }: Omit<HeldGrant, 'accessRole'>): string =>
  JSON.stringify([type, id, groupId ?? null, userId ?? null, expiresAt === undefined ? 'standing' : 'temporary'])

export function copyOf(state: AccessState): AccessState {
  return {
    ...state,
    grants: new Map(state.grants),
    members: new Map([...state.members].map(([group, users]) => [group, new Set(users)])),
    parents: new Map(state.parents),
    accessTypes: new Map(state.accessTypes),
    disabledUsers: new Set(state.disabledUsers),
    disabled: new Set(state.disabled),
    absent: new Set(state.absent),
    declared: new Set(state.declared),
    defaults: { ...state.defaults },
  }
}

/** Trees are at most 100 levels deep; events that contradict each other must not lead in a circle. */
const DEPTH_MAX = 101

/** Returns the resource, its folders from the nearest on, and the organization. */
export function chainOf({ parents }: AccessState, organizationId: string, place: Place): Place[] {
  const organization: Place = { type: 'organization', id: organizationId }
  if (place.type === 'organization') return [organization]
  const chain: Place[] = [place]
  for (let id = parents.get(keyOf(place)); id !== undefined && chain.length < DEPTH_MAX; ) {
    const folder: Place = { type: 'folder', id }
    chain.push(folder)
    id = parents.get(keyOf(folder))
  }
  return [...chain, organization]
}

export interface Access {
  /** Undefined: denied. */
  accessRole?: AccessRole
  reason: 'does_not_exist' | 'disabled' | 'user_disabled' | 'grant' | 'access_type' | 'membership' | 'no_grant'
  /** The grant that gives the role, if one does. */
  grant?: HeldGrant
}

/** Decides at one moment, in milliseconds, with the state of that moment. */
export class Decisions {
  readonly #state: AccessState
  readonly #organization: Place
  /** The live grants of each user, and of each user group. */
  readonly #ofUsers: ReadonlyMap<string, readonly HeldGrant[]>
  readonly #ofGroups: ReadonlyMap<string, readonly HeldGrant[]>
  /** Resources that only grants name; they exist too. */
  readonly #named: ReadonlySet<string>

  constructor(state: AccessState, organizationId: string, at: number) {
    this.#state = state
    this.#organization = { type: 'organization', id: organizationId }
    const live = [...state.grants.values()].filter(({ expiresAt }) => expiresAt === undefined || expiresAt * 1_000 > at)
    this.#ofUsers = Map.groupBy(live, ({ userId = '' }) => userId)
    this.#ofGroups = Map.groupBy(live, ({ groupId = '' }) => groupId)
    this.#named = new Set([...state.grants.values()].map(keyOf))
  }

  /** Returns the grants that count for a user, by the key of the resource. Grants of groups count only for members of the organization. */
  grantsOf(userId: string): ReadonlyMap<string, readonly HeldGrant[]> {
    const own = userId === '' ? [] : (this.#ofUsers.get(userId) ?? [])
    const isMember = own.some((grant) => keyOf(grant) === keyOf(this.#organization))
    const ofGroups = isMember
      ? [...this.#state.members].flatMap(([group, users]) =>
          users.has(userId) ? (this.#ofGroups.get(group) ?? []) : [],
        )
      : []
    return Map.groupBy([...own, ...ofGroups], keyOf)
  }

  /** Decides about a user, or about everyone without grants, and a resource. */
  decide(userId: string | undefined, place: Place): Access {
    const { absent, declared, disabled, disabledUsers, accessTypes, defaults } = this.#state
    const chain = chainOf(this.#state, this.#organization.id, place)
    const grants = this.grantsOf(userId ?? '')
    const isDeclared = declared.has(keyOf(place)) || this.#named.has(keyOf(place))
    if (absent.has(keyOf(place)) && !isDeclared) return { reason: 'does_not_exist' }
    if (disabled.has(keyOf(this.#organization)) || disabled.has(keyOf(place))) return { reason: 'disabled' }
    if (userId !== undefined && disabledUsers.has(userId)) return { reason: 'user_disabled' }
    const boundaryAt = chain.findIndex((one) => one.type === 'organization' || accessTypes.has(keyOf(one)))
    const boundary = chain[boundaryAt] ?? this.#organization
    const accessType = accessTypes.get(keyOf(boundary)) ?? defaults.accessType
    const held = chain.map((one) => grants.get(keyOf(one)) ?? [])
    const grant = strongest(held.find((some) => some.length > 0) ?? [])
    const given = { accessRole: grant?.accessRole ?? defaults.accessRole, ...(grant && { grant }) }
    if (held.slice(0, boundaryAt + 1).some((some) => some.length > 0)) return { ...given, reason: 'grant' }
    if (place.type === 'organization') return { reason: 'no_grant' }
    if (accessType === 'public') return { ...given, reason: 'access_type' }
    const isMember = (grants.get(keyOf(this.#organization)) ?? []).length > 0
    return accessType === 'organizationPrivate' && isMember
      ? { ...given, reason: 'membership' }
      : { reason: 'no_grant' }
  }
}
