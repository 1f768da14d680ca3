/** The SQL statements of the grant sweep: they write the events of expiring and expired grants, and delete grants that expired long ago. */
import type { ResourceType } from '#contract/access/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { DueQueue } from '#platform/jobs/due-work.ts'
import { expiryEvents, RECORD_EVENTS } from '#tenancy/events/record.ts'
import { isLiveUntil, NO_TEMPORARY } from '#tenancy/grants.ts'
import { grantInEvents, userIn } from '#tenancy/principals.ts'

/** The maximum number of grants in a transaction, in total and of one organization, whose writers wait for it. */
export const GRANTS_PER_BATCH = 1_000
const GRANTS_PER_ORGANIZATION = 750

/** The position of a sweep in its index: the indexed time, as text with microseconds, and the key of a grant. */
export interface Cursor {
  time: string
  organizationKey: string
  resourceKey: string
  principal: string
}

/** A grant, by the kind of its resource too (`holdsOn`). */
export interface Due extends Cursor {
  kind: ResourceType
}

/** `claimed`: the organization is locked by this transaction, and the grant is within its limit. */
export type DueGrant = Due & { claimed: boolean }

/**
 * Scans the next `$5` due grants after the cursor `$1` to `$4` in the order of their `time`, and locks their organizations,
 * skipping locked ones. Returns the grants to process (`claimed`), the first ones of each organization. The last row is
 * the next cursor; no row means the end.
 */
const lockDue = (time: string, until: string, condition: string) => /* sql */ `
  with bound as materialized (select ${until} as until),
  seen as materialized (
    select ${time} as time, organization_key, resource_key, principal, kind,
           row_number() over (order by ${time}, organization_key, resource_key, principal) as position
      from grants
     where ${time} <= (select until from bound) and ${condition}
       and (${time}, organization_key, resource_key, principal) > ($1::timestamptz, $2::uuid, $3::uuid, $4)
     order by ${time}, organization_key, resource_key, principal limit $5::int
  ),
  chosen as materialized (
    select * from (select *, row_number() over (partition by organization_key order by position) as nth from seen) numbered
     where nth <= ${GRANTS_PER_ORGANIZATION} or position = (select count(*) from seen)
     order by position limit ${GRANTS_PER_BATCH}
  ),
  locked as materialized (
    select o.organization_key from organizations o
     where o.organization_key in (select organization_key from chosen where nth <= ${GRANTS_PER_ORGANIZATION})
       for no key update skip locked
  )
  select c.time::text, c.organization_key as "organizationKey", c.resource_key as "resourceKey", c.principal as "principal", c.kind,
         c.nth <= ${GRANTS_PER_ORGANIZATION} and c.organization_key in (select organization_key from locked) as claimed
    from chosen c order by c.position`

const DUE = {
  time: 'timestamptz',
  organizationKey: 'uuid',
  resourceKey: 'uuid',
  principal: 'text',
  kind: 'resource_kind',
} as const

/** Locks grants whose `permission.expiring` event is due. */
export const LOCK_EXPIRING = statement<DueGrant>(
  'permissions.lock-expiring',
  lockDue('expiring_at', 'coalesce($now, clock_timestamp())', 'expiring_at is not null'),
)

const hasDue = (time: string, condition: string) =>
  `exists (select from grants where ${time} <= (select test_now from clock) and ${condition})`

/** Whether the event of a grant that is about to expire, or has expired, is due. */
export const EXPIRED_GRANTS: DueQueue = {
  name: 'grant-expiry',
  isDue: `(${hasDue('expiring_at', 'expiring_at is not null')} or ${hasDue('expires_at', 'expiry_event_at is null')})`,
}

/**
 * Writes the event of each grant that is about to expire, and clears its due time. A grant that has expired in the
 * meantime gets only the event of its expiry.
 */
export const ANNOUNCE_EXPIRING = setStatement<Due, { changed: number }>(
  'permissions.announce-expiring',
  DUE,
  /* sql */ `
  with due as (
    update grants g set expiring_at = null
      from $input
     where g.organization_key = item.organization_key and g.resource_key = item.resource_key and g.principal = item.principal
       and g.kind = item.kind and g.expiring_at = item.time
    returning item.ord, g.*
  ),
  event as (
    select d.organization_key, d.ord as position, 'permission.expiring' as type, d.kind as resource_kind, r.id as resource_id,
           ${userIn('d.principal')} as user_id, '{"system": "expiry"}'::jsonb as actor, null::jsonb as before,
           ${grantInEvents('d.principal', 'd.temporary_role', 'extract(epoch from d.expires_at)::bigint')} as after
      from due d
     cross join lateral (
        select r.id from resources r
         where r.organization_key = d.organization_key and r.resource_key = d.resource_key limit 1
      ) r
     where ${isLiveUntil('d.expires_at')}
  ),
  ${RECORD_EVENTS}
  select count(*) as changed from due`,
)

/** Locks expired grants whose event is not written yet. */
export const LOCK_EXPIRED = statement<DueGrant>(
  'permissions.lock-expired',
  lockDue('expires_at', 'coalesce($now, clock_timestamp())', 'expiry_event_at is null'),
)

/** Writes the event of each expiry and sets `expiry_event_at`. Grants changed before the lock are skipped. */
export const EXPIRE_PERMISSIONS = setStatement<Due, { changed: number }>(
  'permissions.expire',
  DUE,
  /* sql */ `
  with expired as (
    update grants g set expiry_event_at = coalesce($now, clock_timestamp())
      from $input
     where g.organization_key = item.organization_key and g.resource_key = item.resource_key and g.principal = item.principal
       and g.kind = item.kind and g.expires_at = item.time and g.expiry_event_at is null
    returning item.ord, g.*
  ),
  named as (
    select e.*, r.id as resource_id from expired e
     cross join lateral (
        select r.id from resources r
         where r.organization_key = e.organization_key and r.resource_key = e.resource_key limit 1
      ) r
  ),
  event as (${expiryEvents('named', { position: 'ord', role: 'temporary_role' })}),
  ${RECORD_EVENTS}
  select count(*) as changed from expired`,
)

/** Locks grants whose expiry event is at least `$6` days old. */
export const LOCK_LONG_EXPIRED = statement<DueGrant>(
  'permissions.lock-long-expired',
  lockDue('expiry_event_at', 'coalesce($now, clock_timestamp()) - make_interval(days => $6::int)', 'true'),
)

/** Deletes expired grants, and leaves standing ones beside them. Writes no event: their expiry had one. */
export const DELETE_EXPIRED_PERMISSIONS = setStatement<Due, { changed: number }>(
  'permissions.delete-expired',
  DUE,
  /* sql */ `
  with due as materialized (
    select g.ctid as row, g.standing_role
      from $input
     cross join lateral (
        select g.ctid, g.standing_role from grants g
         where g.organization_key = item.organization_key and g.resource_key = item.resource_key and g.principal = item.principal
           and g.kind = item.kind and g.expiry_event_at = item.time limit 1
     ) g
  ),
  deleted as (delete from grants g using due where due.standing_role is null and g.ctid = due.row), -- the ctid cannot change under the lock
  shortened as (update grants g set ${NO_TEMPORARY} from due where due.standing_role is not null and g.ctid = due.row)
  select count(*) as changed from due`,
)
