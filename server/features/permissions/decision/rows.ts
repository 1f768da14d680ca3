/** The rows that decisions read and return. */

import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'

/** A user and a resource to decide about. */
export interface QuestionRow {
  organizationKey: OrganizationKey
  kind: ResourceType
  resourceId: string
  userId: string
  /** The default access type of the API key. */
  defaultAccessType: AccessType
  /** The role of users whom an access type admits and who have no grant. Null: the answer has no role for them. */
  defaultAccessRole: AccessRole | null
  /** The weakest role that is enough. Null: any role. */
  atLeast: AccessRole | null
}

export const QUESTION_COLUMNS = {
  organizationKey: 'uuid',
  kind: 'resource_kind',
  resourceId: 'text',
  userId: 'text',
  defaultAccessType: 'access_type',
  defaultAccessRole: 'access_role',
  atLeast: 'access_role',
} as const

export interface DecisionRow {
  allowed: boolean
  reason:
    | 'grant'
    | 'access_type'
    | 'membership'
    | 'disabled'
    | 'user_disabled'
    | 'no_grant'
    | 'grant_expired'
    | 'does_not_exist'
  /** Null when denied; and without a grant, if the question has no default role. */
  accessRole: AccessRole | null
  /** Null for organizations and resources that do not exist. */
  accessType: AccessType | null
  /** The resource that gives access, or `keyDefault` without an id; null when denied. */
  viaType: ResourceType | 'keyDefault' | null
  viaId: string | null
  /** The user group whose grant gives access; null or absent unless one does. */
  viaGroupId?: string | null
  inherited: boolean | null
  /** Unix seconds; null unless the decision depends on a grant that expires. */
  expiresAt: number | null
  migratedTo: string | null
}

export interface DecidedRow extends DecisionRow, RequestRow {
  /** Whether a group has had a grant in the organization; null if that does not exist. */
  hasGroupGrants: boolean | null
}

/** A decision without groups and disabled users. Where a group has had a grant, it is not one: `reason` is null. */
export interface ShortlyDecidedRow extends Omit<DecisionRow, 'reason' | 'viaGroupId'>, RequestRow {
  reason: DecisionRow['reason'] | null
}

/** Whether the default access type of the API key gives the access: nothing up to the organization has its own. */
const BY_DEFAULT = `d.rule = 'access_type' and d.via_at = 1`

const columns = (reason: string): string => /* sql */ `d.allowed, ${reason} as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when ${BY_DEFAULT} then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (${BY_DEFAULT}) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo"`

/** Selects the columns of a DecisionRow from a row of `decided` named `d`. */
export const DECISION_COLUMNS = `${columns('d.reason')},
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId"`

/** Selects the columns of a ShortlyDecidedRow. */
export const SHORT_DECISION_COLUMNS = columns('case when d.has_group_grants is not true then d.reason end')
