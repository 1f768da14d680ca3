/**
 * The access decision in SQL (rules/access.md#decision). Every operation that decides access uses this text, so no two of
 * them can disagree. For each question it finds the resource with everything above it, takes the greatest rank of the user's grants
 * there, and compares its position with the nearest access type: a grant that is at least as near decides, otherwise the access type.
 *
 * For example: may Ada edit the document `roadmap` in the folder `plans` of `acme`? The folder has the access type `restricted`. Ada is a
 * viewer of `acme`, and an editor of `plans` until 1,900,000,000.
 *
 * | step | value |
 * | --- | --- |
 * | `chain` | `acme`, `plans`, `roadmap`: positions 1, 2 and 3 |
 * | `boundary_at`, `access_type` | 2 and `restricted`, of `plans` |
 * | the rank of the grant on `acme` | position 1, viewer, no end: `1 << 39 \| 0 << 37 \| 2^37 - 1` = 687194767359 |
 * | the rank of the grant on `plans` | position 2, editor, its end: `2 << 39 \| 2 << 37 \| 1900000000` = 1376289534720, the greatest |
 * | `rule` | `live_rank >> 39` is 2, not less than the boundary: `grant` |
 * | the answer | allowed, as `editor` (bits 37 and 38 are 2), by the folder `plans` (`via_at` 2), until 1,900,000,000 (the lower 37 bits) |
 *
 * After that time only the grant on `acme` is live. Its position 1 is above the boundary, so `restricted` denies, and as the rank of all
 * grants, live or not, has position 2, the reason is `grant_expired`.
 */

import { setStatement } from '#platform/db/statement.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { EXPIRY, OWN_RANKS_ALONE, positionIn, RANKS, roleIn } from './ranks.ts'
import {
  DECISION_COLUMNS,
  type DecidedRow,
  QUESTION_COLUMNS,
  type QuestionRow,
  SHORT_DECISION_COLUMNS,
  type ShortlyDecidedRow,
} from './rows.ts'
import { ALL_GROUPS, GROUP_RANKS, GROUPS, ranksOf, targetWith, USER_DISABLED } from './stored-data.ts'

/** The parts of a decision. Simulations and lists replace the stored data. */
export interface Parts {
  /** The query for the resource. */
  target: string
  /** The query for the ranks of the user's grants: `ownRanks()` and, with `groups`, `of_groups`. */
  held: string
  groups: boolean
}

const STORED: Parts = { target: targetWith(USER_DISABLED, GROUPS), held: ranksOf('found', GROUP_RANKS), groups: true }

/** The same, also with the groups of the user that have no grant on the chain. */
export const STORED_WITH_ALL_GROUPS: Parts = { ...STORED, target: targetWith(USER_DISABLED, ALL_GROUPS) }

/** Where no user is disabled and `has_group_grants` is false, this decides the same without looking for either. */
const STORED_IN_SHORT: Parts = { target: targetWith('false', ''), held: ranksOf('found', null), groups: false }

/** The CTE `clock`: the time at which decisions are made. */
export const CLOCK = /* sql */ `clock as materialized (select coalesce($now, clock_timestamp()) as now)`

/**
 * Returns the CTEs `clock` and `decided`, to follow `with`. `decided` has one row for each row of `questions` (a table named
 * `item` with QUESTION_COLUMNS), with its columns and the columns of the decision.
 *
 * `chain` is the path of the resource, organization first. Positions increase towards the resource, so the nearest grant has
 * the greatest position, and rule 3 requires that this position is not less than the boundary's. Grants are compared by their
 * ranks (ranks.ts). Grants of the user's groups count as long as the user is a member of the organization; of equal grants, the
 * user's own comes first.
 *
 * `offset 0` has the columns of a query computed once. Without it, PostgreSQL copied their expressions to every use, and
 * preparing them took a tenth of the time of a single decision.
 */
export const decided = (questions: string): string => `
  ${CLOCK},${decidedAs(questions)}`

/** Returns the same CTEs except `clock`, which must precede them. */
export function decidedAs(questions: string, { target, held, groups }: Parts = STORED): string {
  const ranks = groups ? RANKS : OWN_RANKS_ALONE
  return /* sql */ `
  ruled as (
    select item.*, target.*, held.member_until, ${ranks.live} as live_rank, ${ranks.any} as any_rank, ${ranks.viaGroup} as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when ${positionIn(`(${ranks.live})`)} >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (${ranks.any}) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when ${positionIn(`(${ranks.any})`)} >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from ${questions}
      left join lateral (
        ${target}
      ) target on true
      left join lateral (${held}
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then ${positionIn('live_rank')} when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, ${roleIn('live_rank', 'default_access_role')} as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when ${roleIn('r.any_rank')} >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & ${EXPIRY}, case r.rule when 'membership' then r.member_until end),
                                           ${EXPIRY}) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      ${joinMigrated('r.organization_key', 'r.resource_id', "r.rule = 'does_not_exist' and r.kind = 'document'")}
  )`
}

const decideAs = <Row extends RequestRow>(name: string, parts: Parts, columns: string) =>
  setStatement<QuestionRow & RequestRow, Row>(
    name,
    { req: 'int', ...QUESTION_COLUMNS },
    /* sql */ `
  with ${CLOCK},${decidedAs('$input', parts)}
  select d.req, ${columns}
    from decided d order by d.ord`,
  )

/** Returns the decision on each row (rules/access.md#decision). */
export const DECIDE = decideAs<DecidedRow>(
  'permissions.decide',
  STORED,
  `d.has_group_grants as "hasGroupGrants", ${DECISION_COLUMNS}`,
)

/** The same in less time, for organizations without grants of groups and users who are not disabled. */
export const DECIDE_IN_SHORT = decideAs<ShortlyDecidedRow>(
  'permissions.decide-in-short',
  STORED_IN_SHORT,
  SHORT_DECISION_COLUMNS,
)
