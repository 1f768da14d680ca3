/**
 * Grants as numbers in SQL. A statement compares, orders and passes on a role and an expiry as one value:
 *
 * - 0: no grant
 * - role in the lowest two bits: 1 for viewer, 2 for commenter, 3 for editor
 * - above them one more than the Unix seconds of the expiry, or 0 for a grant without one
 *
 * So a standing editor is 3, and a viewer until second 1,900,000,000 is 1,900,000,001 * 4 + 1 = 7,600,000,005.
 */
import { grantInEvents } from '#tenancy/principals.ts'

/** The bits of a grant's number: seconds have 37 at most (LIMITS.expiresAtSecondsMax). */
export const CODE_BITS = 40

/** Returns the number of a grant; `expiresAt` must be null if `role` is. */
export const codeOf = (role: string, expiresAt?: string): string =>
  expiresAt === undefined
    ? `case ${role} when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end`
    : `coalesce((extract(epoch from ${expiresAt})::bigint + 1) << 2, 0) | case ${role} when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end`

/** The role of a grant; null for none. */
export const roleIn = (code: string): string =>
  `case ${code} & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end`

const secondsOf = (code: string): string => `nullif(${code} >> 2, 0) - 1`

/** The expiry of a grant; null for a standing one. */
export const expiryIn = (code: string): string => `to_timestamp(${secondsOf(code)})`

/** The grant of the column `principal` as events say it; null for none. */
export const eventOf = (code: string): string =>
  `case when ${code} > 0 then ${grantInEvents('principal', roleIn(code), secondsOf(code))} end`
