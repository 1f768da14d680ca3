/**
 * The SQL of a row of `grants`, which holds a standing grant (`standing_role`), a temporary one (`temporary_role` until
 * `expires_at`), or both (rules/access.md#grants, ADR 0034).
 */
import type { ResourceType } from '#contract/access/permissions.ts'
import { NOW } from '#platform/db/statement.ts'

/** The time in a statement that reads it once, as the CTE `clock`. */
export const CLOCK_NOW = '(select now from clock)'

/**
 * Whether a temporary grant that expires at `expiresAt` is live, and so counts (rules/access.md#expired-grants). At the very
 * second of its expiry it has expired, and counts as absent. Every statement compares the expiry of grants here: a comparison
 * of its own could differ by a second, or by the clock that it reads.
 */
export const isLiveUntil = (expiresAt: string, now = NOW): string => `${expiresAt} > ${now}`

/** The opposite of `isLiveUntil`. Both are null where there is no expiry. */
export const hasExpired = (expiresAt: string, now = NOW): string => `${expiresAt} <= ${now}`

/** Whether one of the grants of row `g` is live. */
export const isLive = (g: string): string => `(${g}.standing_role is not null or ${isLiveUntil(`${g}.expires_at`)})`

/**
 * Whether the user holds a live grant of their own on a resource, of any role.
 *
 * Here and wherever else one grant is looked up, the condition names the kind of the resource, although the other columns
 * are the primary key. Without it, the planner takes the index by principal when most users have few grants, and then
 * reads all grants of a user with 20,000 of them, 1.8 ms for each look-up (`test/matrix/plans`).
 */
export const holdsOn = (
  organizationKey: string,
  resource: { key: string; kind: ResourceType },
  userId: string,
): string => /* sql */ `(
      select true from grants g
       where g.organization_key = ${organizationKey} and g.resource_key = ${resource.key} and g.principal = ${userId}
         and g.kind = '${resource.kind}' and ${isLive('g')} limit 1) is not null`

/** Whether the user is a member of the organization: by a live grant of their own on it. */
export const isMember = (organizationKey: string, userId: string): string =>
  holdsOn(organizationKey, { key: organizationKey, kind: 'organization' }, userId)

/** The kind of an organization or folder on a path, by its key. */
export const kindOnPath = (resourceKey: string, organizationKey: string): string =>
  `case ${resourceKey} when ${organizationKey} then 'organization'::resource_kind else 'folder' end`

/** A column of the temporary grant of row `g`; null if it is not live. */
export const ifLive = (g: string, column: 'temporary_role' | 'expires_at'): string =>
  `case when ${isLiveUntil(`${g}.expires_at`)} then ${g}.${column} end as ${column}`

/** The stronger role of the live grants of row `g`; null if none is live. */
export const liveRole = (g: string, now = NOW): string =>
  `greatest(${g}.standing_role, case when ${isLiveUntil(`${g}.expires_at`, now)} then ${g}.temporary_role end)`

/** Until when row `g` gives `role`, which must be its `liveRole`; null: until it is changed. */
export const expiryOf = (g: string, role: string): string =>
  `case when ${g}.standing_role is distinct from ${role} then ${g}.expires_at end`

/** Returns a lateral join with a row for each grant of row `g`: `is_temporary`, `role` and `expires_at`. */
export const joinEach = (g: string): string => /* sql */ `
 cross join lateral (
    select * from (values (false, ${g}.standing_role, null::timestamptz), (true, ${g}.temporary_role, ${g}.expires_at))
                     as each_grant(is_temporary, role, expires_at)
     where role is not null
  ) each_grant`

/** The assignments that end the temporary grant of a row. */
export const NO_TEMPORARY =
  'temporary_role = null, expires_at = null, expiry_event_at = null, expiring_at = null, provided_by = null'
