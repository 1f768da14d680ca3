/**
 * Ranks of grants in decisions: one number that combines the position of the resource in the chain, the role and the
 * expiry, so a single `max` finds the nearest grant, the strongest grant there, and of equally strong grants the one
 * that lasts longest. From the left: 7 bits of the position, 2 of the role, 37 of the expiry. For example:
 *
 * | grant | position | role | expiry | rank |
 * | --- | --- | --- | --- | --- |
 * | viewer of the organization, without an end | 1 | 0 | all bits set | 687194767359 |
 * | editor of a folder in it, until 1,900,000,000 | 2 | 2 | 1900000000 | 1376289534720 |
 * | viewer of that folder, without an end | 2 | 0 | all bits set | 1236950581247 |
 *
 * The second is the greatest: it is nearer than the first and stronger than the third. Once it has expired it does not count
 * as live, and the third is the greatest: the user is a viewer. A grant on the document, position 3, would exceed all three.
 *
 * A user who is a member has the grants of groups too. The rank of a grant of a group is followed by 17 bits that name the
 * group, so the same `max` also finds which group it was: 131071 minus its number among the groups of the user, so that of
 * equal ranks the first group wins. If the third grant belonged to the user's second group, the number would be
 * `1236950581247 << 17 | 131069`; `>> 17` returns the rank, and `131071 - (… & 131071)` the 2.
 */
import { CLOCK_NOW, isLiveUntil } from '#tenancy/grants.ts'

/** The bits of a rank that hold the expiry: seconds have 37 at most (LIMITS.expiresAtSecondsMax). All of them are set for none. */
const EXPIRY_BITS = 37
export const EXPIRY = String(2 ** EXPIRY_BITS - 1)

/** The two bits above the expiry hold the role: 0 for a viewer, 1 for a commenter, 2 for an editor. */
const COMMENTER = String(2 ** EXPIRY_BITS)
const EDITOR = String(2 * 2 ** EXPIRY_BITS)

/** The position is above both. */
const POSITION = EXPIRY_BITS + 2

/** The position of the resource whose grant has a rank. */
export const positionIn = (rank: string): string => `${rank} >> ${POSITION}`

/** The role of the grant that has a rank; `otherwise`: without a rank. */
export const roleIn = (rank: string, otherwise = 'null::access_role'): string =>
  `case ${rank} >> ${EXPIRY_BITS} & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else ${otherwise} end`

/**
 * The bits below a rank that name a group by its number among the user's groups: of equal ranks, the first group is the
 * greatest. A rank has 46 bits: 37 of the expiry, two of the role, seven of the position (LIMITS.folderDepthMax).
 * Together they are the 63 bits of a positive bigint. A group whose number has more bits counts like the others, but
 * another group may be named.
 */
const GROUP_BITS = 17
const LAST_GROUP = String(2 ** GROUP_BITS - 1)

const SECONDS = 'extract(epoch from expires_at)::bigint'
/** The ranks of the two grants of a row, without the position; null: there is none. */
const STANDING = `case standing_role when 'editor' then ${EDITOR} | ${EXPIRY} when 'viewer' then ${EXPIRY} when 'commenter' then ${COMMENTER} | ${EXPIRY} end`
const TEMPORARY = `case temporary_role when 'editor' then ${EDITOR} when 'commenter' then ${COMMENTER} else 0 end | ${SECONDS}`

export const ranked = (
  grants: string,
  columns = '',
): string => /* sql */ `(select position, expires_at${columns}, ${isLiveUntil('expires_at', CLOCK_NOW)} as live,
                       ${STANDING} as standing, ${TEMPORARY} as temporary
                  from ${grants} where position is not null offset 0) ranked`

const LIVE = `position << ${POSITION} | greatest(standing, case when live then temporary end)`
const ANY = `position << ${POSITION} | greatest(standing, temporary)`

/** Until when a grant on the organization makes its user a member, and whether it ever did. */
const MEMBER_UNTIL = `case when position = 1 then case when standing is not null then ${EXPIRY} when live then ${SECONDS} end end`
const WAS_MEMBER = 'position = 1 and greatest(standing, temporary) is not null'

/** The columns of `held` for the grants in one row. */
export const OWN_RANK = /* sql */ `${LIVE} as own_live, ${ANY} as own_any, ${MEMBER_UNTIL} as member_until, ${WAS_MEMBER} as was_member`

/**
 * The columns of `held`: the highest ranks of the user's own grants, and the membership, which depends on them alone.
 * `own`: which rows are the user's; absent: all.
 */
export function ownRanks(own?: string): string {
  const filter = own === undefined ? '' : ` filter (where ${own})`
  return /* sql */ `max(${LIVE})${filter} as own_live, max(${ANY})${filter} as own_any,
               max(${MEMBER_UNTIL})${filter} as member_until, bool_or(${WAS_MEMBER})${filter} as was_member`
}

/**
 * The highest live rank of grants of groups, followed by the group, and the highest of all ranks: an array of two
 * numbers. `nth` is the number of a group, `groups` which rows are theirs.
 */
export function groupRanksAmong(nth: string, groups: string): string {
  const filter = ` filter (where ${groups})`
  return `array[max((${LIVE}) << ${GROUP_BITS} | ${LAST_GROUP} - least(${nth}, ${LAST_GROUP}))${filter}, max(${ANY})${filter}]`
}

/** The same, read from `grants` of groups alone. */
export const groupRanks = (grants: string): string => /* sql */ `
                 select ${groupRanksAmong('nth', 'true')}
                   from ${ranked(grants, ', nth')}`

/** The same, of one row without an end; `nth` has at most as many bits as numbers of groups have. */
export const groupRanksOfOne = (nth: string): string =>
  `array[(position << ${POSITION} | ${STANDING}) << ${GROUP_BITS} | ${LAST_GROUP} - ${nth}, position << ${POSITION} | ${STANDING}]`

/** The ranks of groups count for members, and expire with the membership at the latest. */
const GROUP_LIVE = /* sql */ `case when held.member_until is not null
                then (held.of_groups[1] >> ${GROUP_BITS} & ~${EXPIRY}::bigint) | least(held.of_groups[1] >> ${GROUP_BITS} & ${EXPIRY}, held.member_until) end`

/** The highest rank of the live grants of the user. */
const LIVE_RANK = /* sql */ `case when held.of_groups is null then held.own_live else greatest(held.own_live, ${GROUP_LIVE}) end`

/** The highest rank as if no grant expired. */
const ANY_RANK = /* sql */ `case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end`

/** The group whose grant has the highest rank; null: the user's own. */
const VIA_GROUP = /* sql */ `case when held.of_groups is not null and ${GROUP_LIVE} > coalesce(held.own_live, 0)
                then substr(target.groups[${LAST_GROUP} - (held.of_groups[1] & ${LAST_GROUP})], 2) end`

interface Ranks {
  live: string
  any: string
  viaGroup: string
}

export const RANKS: Ranks = { live: LIVE_RANK, any: ANY_RANK, viaGroup: VIA_GROUP }
export const OWN_RANKS_ALONE: Ranks = { live: 'held.own_live', any: 'held.own_any', viaGroup: 'null::text' }
