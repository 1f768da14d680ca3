/** The SQL statements of grants whose rows apply in their order, even if several name the same user and resource. */
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { CODE_BITS, expiryIn } from './codes.ts'
import { AFTER, declareMissing, findNamed, grantEvents, writeGrants } from './granting.ts'

export const GRANT_COLUMNS = {
  req: 'int',
  organizationKey: 'uuid',
  createOrganization: 'boolean',
  kind: 'resource_kind',
  resourceId: 'text',
  principal: 'text',
  standingRole: 'access_role',
  temporaryRole: 'access_role',
  expiresAt: 'timestamptz',
  replaces: 'boolean',
  expiringSoonSeconds: 'int',
  knownOnly: 'boolean',
  actor: 'jsonb',
} as const

/** The columns of `named` that the CTE `accepted` must have, besides the grants that are given. */
export const ACCEPTED = `organization_key, ord, kind, resource_id, principal, actor, replaces, expiring_soon_seconds, organization_added,
           resource_key, resource_added, old_standing, old_temporary, old_expires_at, old_expiry_event_at, old_expiring_at, old_provided_by`

/** No row of the request is refused. */
export const IS_ACCEPTED = `req <> all (array(select req from named where outcome <> 'ok'))`

/** The number of the grant of a kind that the earlier rows of the statement leave; null: they do not touch it. */
const earlier = (kind: string) => /* sql */ `
       max(case when given_${kind} > 0 or replaces then ord::bigint << ${CODE_BITS} | given_${kind} end) over earlier
         & ((1::bigint << ${CODE_BITS}) - 1)`

/** The CTE `applied`: the rows of `accepted` with the grants before and after each. `pair_changes` and `renews` of the last row of a pair count for all its rows. */
const APPLIED = /* sql */ `applied as materialized (
    select *, bool_or(changes_standing or changes_temporary or takes_over) over pair as pair_changes,
           bool_or(changes_temporary or takes_over) over pair as renews, lead(ord) over pair is null as is_last,
           changes_temporary and ${expiryIn('before_temporary')} <= (select now from clock)
             and (old_expiry_event_at is null or count(*) filter (where changes_temporary) over pair > 1) as expired_unreported
      from (select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
                   -- the same as a permission provider has given: it stays after a sign-out
                   given_temporary > 0 and old_provided_by is not null and old_expires_at > (select now from clock) as takes_over
              from (select *,${AFTER}
                      from (select *, coalesce(${earlier('standing')}, old_standing) as before_standing,
                                   coalesce(${earlier('temporary')}, old_temporary) as before_temporary
                              from accepted
                            window earlier as (partition by organization_key, kind, resource_id, principal order by ord
                                               rows between unbounded preceding and 1 preceding)) a) b) c
    window pair as (partition by organization_key, kind, resource_id, principal order by ord rows unbounded preceding)
  )`

/** What a statement does to the resources that its rows name, besides declaring those that are missing. */
interface Additions {
  /** Whether the rows that name a missing resource add it. */
  adds: string
  /** A CTE that adds those that are only declared, and a comma. */
  adopted: string
  /** The part of the CTE `event` for them. */
  events: string
}

/**
 * Returns the text of a statement that grants the roles of its rows. `accepted` selects what it writes: the rows of `named` that
 * meet `IS_ACCEPTED`, with the columns `ACCEPTED`, `given_standing` and `given_temporary`.
 */
export const grantInOrder = (
  accepted: string,
  { adds, adopted, events }: Additions = { adds: 'false', adopted: '', events: '' },
): string => /* sql */ `${findNamed('item.known_only', 'item.create_organization')},
  accepted as materialized (${accepted}
  ),
  ${APPLIED},
  opening as (
    select distinct on (organization_key) organization_key, actor from accepted where not organization_added order by organization_key, ord
  ),
  ${declareMissing(adds)},${adopted}
  ${writeGrants('a.is_last and a.pair_changes')},
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind, null as resource_id,
           null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from opening${events}
    union all${grantEvents('actor')}
  ),
  ${RECORD_EVENTS}
  select req, ord, outcome, migrated_to as "migratedTo" from named order by ord`
