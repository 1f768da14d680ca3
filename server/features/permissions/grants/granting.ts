/**
 * The statement that writes grants. `granting` is its whole text; calls that grant pass different parts to it.
 *
 * Each row of `$input` names a principal and a resource, with a standing grant, a temporary one, or both. `named` finds what is
 * stored, `accepted` has the rows to be written, `changed` the grants before and after each row, and `applied` the resulting
 * changes, which `written` and `event` store. Grants are compared as numbers (`codes.ts`).
 */
import { EXPIRY_ACTOR, OPENING_EVENTS, opening, RECORD_EVENTS } from '#tenancy/events/record.ts'
import { CLOCK_NOW, hasExpired, isLiveUntil } from '#tenancy/grants.ts'
import { userIn } from '#tenancy/principals.ts'
import { CODE_BITS, eventOf, expiryIn, roleIn } from './codes.ts'
import { declareMissing, findNamed } from './naming.ts'

/** How the rows of a statement affect each other. */
interface Order {
  /** The columns `before_standing` and `before_temporary` of the rows of `accepted`. */
  before: string
  /** The columns that `applied` has in addition to those of `changed`, with the window that they need. */
  effects: string
  window: string
}

/** No two rows name the same principal and resource, so each row starts from the stored grants. */
export const EACH_ONCE: Order = {
  before: 'select *, old_standing as before_standing, old_temporary as before_temporary from accepted',
  effects: /* sql */ `changes_standing or changes_temporary or takes_over as pair_changes, changes_temporary or takes_over as renews,
           true as is_last, changes_temporary and ${hasExpired('old_expires_at', CLOCK_NOW)} and old_expiry_event_at is null as expired_unreported`,
  window: '',
}

/**
 * The number of the grant of a kind that the earlier rows of the same principal and resource leave; null if none touches it.
 * A row that touches it counts as `ord << 40 | number`, so `max` finds the latest, and its lower 40 bits are the number. For
 * example, rows 1 (viewer, number 1) and 3 (editor, number 3) give 3 << 40 | 3, and so 3.
 */
const earlier = (kind: string) => /* sql */ `
       max(case when given_${kind} > 0 or replaces then ord::bigint << ${CODE_BITS} | given_${kind} end) over earlier
         & ((1::bigint << ${CODE_BITS}) - 1)`

const PAIR = 'partition by organization_key, kind, resource_id, principal order by ord'

/**
 * Rows of the same principal and resource apply in their order, as if each were a call of its own. Only the last one is
 * stored; its `pair_changes` and `renews` count for all of them. Each has its events.
 */
export const IN_ORDER: Order = {
  before: /* sql */ `select *, coalesce(${earlier('standing')}, old_standing) as before_standing,
                   coalesce(${earlier('temporary')}, old_temporary) as before_temporary
              from accepted
            window earlier as (${PAIR} rows between unbounded preceding and 1 preceding)`,
  effects: /* sql */ `bool_or(changes_standing or changes_temporary or takes_over) over pair as pair_changes,
           bool_or(changes_temporary or takes_over) over pair as renews, lead(ord) over pair is null as is_last,
           changes_temporary and ${hasExpired(expiryIn('before_temporary'), CLOCK_NOW)}
             and (old_expiry_event_at is null or count(*) filter (where changes_temporary) over pair > 1) as expired_unreported`,
  window: `window pair as (${PAIR} rows unbounded preceding)`,
}

export interface Granting {
  /** Conditions on `item`: the resource must have been added; a missing organization is created. */
  knownOnly?: string
  createOrganization?: string
  /** Selects the rows of `named` to be written. */
  accepted: string
  order: Order
  /** Whether the rows that name a missing folder or document add it instead of declaring it. */
  adds?: string
  /** A CTE that adds resources that are only declared, with a comma, and the events of the added ones. */
  adopted?: string
  addedEvents?: string
  /** The API key whose permission provider gives the grants. */
  providedBy?: string
  /** Selects the result. */
  returns: string
}

/** Returns the text of a statement that grants the roles of its rows. Runs under the lock of their organizations. */
export const granting = ({
  knownOnly = 'item.known_only',
  createOrganization = 'item.create_organization',
  accepted,
  order: { before, effects, window },
  adds = 'false',
  adopted = '',
  addedEvents = '',
  providedBy = 'null::text',
  returns,
}: Granting): string => /* sql */ `${findNamed(knownOnly, createOrganization)},
  accepted as materialized (
    ${accepted}
  ),
  -- A given grant replaces that of its kind, and with "replaces" the other kind ends. The same grant as a permission provider
  -- has given is taken over from it: it stays after a sign-out.
  changed as (
    select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
           given_temporary > 0 and ${isLiveUntil('old_expires_at', CLOCK_NOW)}
             and old_provided_by is not null and old_provided_by is distinct from ${providedBy} as takes_over
      from (select *, case when given_standing > 0 then given_standing when replaces then 0 else before_standing end as after_standing,
                   case when given_temporary > 0 then given_temporary when replaces then 0 else before_temporary end as after_temporary
              from (${before}) a) b
  ),
  applied as materialized (
    select *, ${effects}
      from changed
    ${window}
  ),
  ${opening('accepted')},
  ${declareMissing(adds)},${adopted}
  -- Unless the temporary grant was changed, what its sweeps did stays done, and the provider that gave it stays named.
  written as (
    insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
    select a.organization_key, coalesce(a.resource_key, m.resource_key, a.organization_key) as target,
           a.principal, a.kind, ${roleIn('a.after_standing')}, ${roleIn('a.after_temporary')}, e.expires_at,
           case when not a.renews then a.old_expiry_event_at end,
           case when not a.renews then a.old_expiring_at
                when a.expiring_soon_seconds > 0 and e.due > ${CLOCK_NOW} then e.due end,
           case when a.renews then ${providedBy} else a.old_provided_by end
      from applied a
     cross join lateral (
        select expires_at, expires_at - make_interval(secs => a.expiring_soon_seconds) as due
          from (select ${expiryIn('a.after_temporary')} as expires_at) expiry
     ) e
      full join missing m -- never a nested loop, as in STORE_EVENTS
        on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where coalesce(a.is_last and a.pair_changes, false)
     order by a.organization_key, target, a.principal
    on conflict (organization_key, resource_key, principal) do update
       set standing_role = excluded.standing_role, temporary_role = excluded.temporary_role, expires_at = excluded.expires_at,
           expiry_event_at = excluded.expiry_event_at, expiring_at = excluded.expiring_at, provided_by = excluded.provided_by
  ),
  -- Of each row first what was revoked. A temporary grant that expired without an event gets that event before it is replaced.
  event as (${OPENING_EVENTS}${addedEvents}
    union all
    select organization_key, 4 * ord + case when nth > 0 and after_code = 0 then 1 else nth end,
           case when nth = 0 then 'permission.expired' when after_code = 0 then 'permission.removed' else 'permission.added' end,
           kind, resource_id, ${userIn('principal')}, case when nth = 0 then ${EXPIRY_ACTOR} else actor end,
           ${eventOf('before_code')}, ${eventOf('after_code')}
      from (select organization_key, ord, nth, kind, resource_id, principal, actor,
                   case nth when 2 then before_standing else before_temporary end as before_code,
                   case nth when 2 then after_standing when 3 then after_temporary else 0 end as after_code
              from applied
             cross join (values (0), (2), (3)) change(nth)
             where case nth when 0 then expired_unreported when 2 then changes_standing else changes_temporary end
            offset 0) change -- "offset 0" keeps PostgreSQL from computing the numbers again for each use
  ),
  ${RECORD_EVENTS}
  ${returns}`
