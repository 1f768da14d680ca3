/**
 * The SQL of a row of `grants`, which holds a standing grant (`standing_role`), a temporary one (`temporary_role` until
 * `expires_at`), or both (rules/access.md#grants, ADR 0034).
 */

const NOW = /* sql */ `coalesce($now, clock_timestamp())`

/** Whether one of the grants of row `g` is live. */
export const isLive = (g: string): string => `(${g}.standing_role is not null or ${g}.expires_at > ${NOW})`

/** A column of the temporary grant of row `g`; null if it is not live. */
export const ifLive = (g: string, column: 'temporary_role' | 'expires_at'): string =>
  `case when ${g}.expires_at > ${NOW} then ${g}.${column} end as ${column}`

/** The stronger role of the live grants of row `g`; null if none is live. */
export const liveRole = (g: string): string =>
  `greatest(${g}.standing_role, case when ${g}.expires_at > ${NOW} then ${g}.temporary_role end)`

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
