/** The rows that the statements of simulations read and return. */
import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'
import type { EFFECTS } from '#contract/access/simulations.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { DecisionRow } from '../decision/rows.ts'
import type { NamedResourceRow } from './named-resources.ts'

/** A grant, a removal or a new access type. There is one row for each pair of principal and resource, and one for each access type. */
export interface ChangeRow extends NamedResourceRow, RequestRow {
  /** A new key if the change would declare the resource. Null: a removal on a resource that does not exist, which changes nothing. */
  resourceKey: string | null
  declared: boolean
  /** Null: the row sets `accessType`, or clears it if that is null, unless it enables. */
  principal: string | null
  accessType: AccessType | null
  grants: ChangedGrants | null
  /** Whether the row only enables the resource and its organization. */
  enables: boolean
}

/** The grants of a principal on a resource that a change sets; null: revoked, absent: as they are. */
export interface ChangedGrants {
  standing?: AccessRole | null
  temporary?: { role: AccessRole; expiresAt: Date | null } | null
}

/** A user who joins a group, or leaves it. */
export interface Membership {
  groupId: string
  userId: string
  joins: boolean
}

/** The part of a simulation that one statement decides. */
export interface BatchRow {
  /** A JSON map of the users to decide about, by id; null: all. */
  usersInBatch: string | null
  /**
   * The range of positions among the resources that affect these users, ordered by kind and id: from is exclusive, to
   * is inclusive; null: all.
   */
  resourcesFrom: number | null
  resourcesTo: number | null
  /** The time of the decisions; null: now. */
  decidedAt: Date | null
  /** How many users with grants in the organization are found, in the order of their ids; null: as many as a simulation may have. */
  usersMax: number | null
}

/** A change, with the values of the whole call. */
export interface SimulationRow extends ChangeRow, BatchRow {
  apiKeyId: string
  organizationId: string
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
  /** A JSON array of `Membership`, each user and group once. */
  memberships: string
  /** False: only the named resources are compared. */
  includeInside: boolean
  pageSize: number
  /** The last pair of the previous page; null: the first page. */
  afterUserId: string | null
  afterKind: ResourceType | null
  afterResourceId: string | null
}

/** The users of one effect. */
export interface EffectGroupRow {
  effect: (typeof EFFECTS)[number]
  accessRole: AccessRole | null
  /** Orders the groups of one effect and size. */
  key: string
  users: number
  organizations: number
  folders: number
  documents: number
  /** The name of the user group that gives the access which is kept. */
  groupName: string | null
  /** The kinds and ids of the resources, if the statement decides a batch; null: everything. */
  resources: string[] | null
  /** The first users, in the order of ids, each with the first resource. */
  people: {
    userId: string
    name: string | null
    kind: ResourceType
    resourceId: string
    before: DecisionRow
    after: DecisionRow
    resources: number
  }[]
}

/** A changed pair, with the counts of all pairs. If the page is empty, there is a single row whose `userId` is null. */
export interface SimulatedRow {
  /** The number of the organization's last event; null: the organization does not exist. */
  version: number | null
  pairs: number
  gained: number
  lost: number
  changed: number
  usersGained: number
  usersLost: number
  usersChanged: number
  everyoneGained: number
  everyoneLost: number
  groups: EffectGroupRow[]
  userId: string | null
  kind: ResourceType
  resourceId: string
  before: DecisionRow
  after: DecisionRow
}
