/**
 * The SQL statements that add, change and delete notifications. All run under the lock of the organization, under which
 * a `ctid` cannot change; each id may appear only once.
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import { isMember } from '#tenancy/grants.ts'
import { MERGED } from '#tenancy/metadata.ts'

/**
 * Adds notification `$2` on document `$3` with the named recipients `$10`, whose e-mail addresses are `$11`. If it
 * exists, nothing changes.
 */
export const ADD_NOTIFICATION = statement<never>(
  'notifications.add',
  /* sql */ `
  with added as (
    insert into notifications (organization_key, notification_id, resource_key, notified_at, notification_source, actor_id,
                               location_id, notifies_all, requires_access, content)
    select $1, $2, r.resource_key, coalesce($now, clock_timestamp()), $4, $5, $6, $7, $8, $9::jsonb
      from resources r where r.organization_key = $1 and r.resource_key = $3::uuid
    on conflict (organization_key, notification_id) do nothing
    returning organization_key, notification_id, notified_at
  )
  insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named, email)
  select added.organization_key, added.notification_id, recipient.user_id, added.notified_at, true, recipient.email
    from added cross join unnest($10::text[], $11::text[]) as recipient (user_id, email)
   order by recipient.user_id`,
)

/** The filters of a call: a notification must match all of those that are not null. */
interface NotificationFilter {
  resourceKey: string | null
  locationId: string | null
  userId: string | null
}

export interface ChangedNotificationRow extends NotificationFilter {
  organizationKey: OrganizationKey
  notificationId: string
  changes: object
  /** Null: the actor stays. */
  actorId: string | null
  /** The id of the `location` in the changes, if they have one; null: they clear it. */
  newLocationId: string | null
  /** `[{ userId, email }]` as JSON; null: the named recipients stay. */
  named: string | null
  /** The ids of users who have read it, as JSON. */
  readers: string
  persistsRead: boolean
}

export interface NotificationOutcome {
  notificationId: string
  found: boolean
}

/** SQL: whether a notification of `item` that is for all is for `user`: as a member who is not disabled, as the list decides. */
const isForMember = (user: string): string => /* sql */ `${isMember('item.organization_key', user)}
                  and not exists (select from organizations o where o.organization_key = item.organization_key and ${userDisabled('o.api_key_id', user)})`

/** SQL: whether the call replaces the named recipients of the notification of the recipient `r`. */
const IS_RENAMED = /* sql */ `exists (
             select from item where item.organization_key = r.organization_key and item.notification_id = r.notification_id and item.named is not null)`

/**
 * Changes notifications, replaces their named recipients, and marks them as read by users for whom they are. Names that
 * are gone are deleted with their state, unless the notification is still for the user as a member.
 */
export const UPDATE_NOTIFICATIONS = setStatement<ChangedNotificationRow, NotificationOutcome>(
  'notifications.update',
  {
    organizationKey: 'uuid',
    notificationId: 'text',
    resourceKey: 'uuid',
    locationId: 'text',
    userId: 'text',
    changes: 'jsonb',
    actorId: 'text',
    newLocationId: 'text',
    named: 'jsonb',
    readers: 'jsonb',
    persistsRead: 'boolean',
  },
  /* sql */ `
  with item as materialized (
    select item.*, held.row, held.notified_at, held.notifies_all, held.notification_id is not null as found
      from $input
      left join lateral (
        select n.ctid as row, n.notification_id, n.notified_at, n.notifies_all from notifications n
         where n.organization_key = item.organization_key and n.notification_id = item.notification_id
           and (item.resource_key is null or n.resource_key = item.resource_key)
           and (item.location_id is null or n.location_id = item.location_id)
           and (item.user_id is null or n.notifies_all and ${isForMember('item.user_id')} or exists (
                  select from notification_recipients r
                   where r.organization_key = n.organization_key and r.notification_id = n.notification_id
                     and r.user_id = item.user_id and coalesce(r.is_named, false)))
         limit 1
      ) held on true
  ),
  written as (
    update notifications n
       set content = ${MERGED('n.content', 'item.changes')}, actor_id = coalesce(item.actor_id, n.actor_id),
           location_id = case when item.changes ? 'location' then item.new_location_id else n.location_id end
      from item
     where n.ctid = item.row and item.changes <> '{}'
  ),
  wanted as materialized (
    select item.organization_key, item.notification_id, item.notified_at, recipient."userId" as user_id, recipient.email
      from item cross join lateral jsonb_to_recordset(item.named) as recipient ("userId" text, email text)
     where item.found
  ),
  read as materialized (
    select item.organization_key, item.notification_id, item.notified_at, reader.user_id, item.persists_read
      from item cross join lateral (select distinct value as user_id from jsonb_array_elements_text(item.readers)) reader
     where item.found and (item.notifies_all and ${isForMember('reader.user_id')} or exists (
             select from wanted w where w.organization_key = item.organization_key
                and w.notification_id = item.notification_id and w.user_id = reader.user_id)
           or item.named is null and exists (
             select from notification_recipients r where r.organization_key = item.organization_key
                and r.notification_id = item.notification_id and r.user_id = reader.user_id and coalesce(r.is_named, false) offset 0))
  ),
  unnamed as materialized (
    select there.row, item.notifies_all and there.read_at is not null as keeps_state from item
     cross join lateral (
       select r.ctid as row, r.user_id, r.is_named, r.read_at from notification_recipients r
        where r.organization_key = item.organization_key and r.notification_id = item.notification_id offset 0
     ) there
     where item.found and item.named is not null and there.is_named
       and not exists (select from wanted w where w.organization_key = item.organization_key
                          and w.notification_id = item.notification_id and w.user_id = there.user_id)
       and not exists (select from read where read.organization_key = item.organization_key
                          and read.notification_id = item.notification_id and read.user_id = there.user_id)
  ),
  gone as (
    delete from notification_recipients r using unnamed u where r.ctid = u.row and not u.keeps_state
  ),
  members as (
    update notification_recipients r set is_named = false, email = null from unnamed u where r.ctid = u.row and u.keeps_state
  ),
  recipients as (
    insert into notification_recipients as r (organization_key, notification_id, user_id, notified_at, is_named, email, read_at, is_hidden)
    select organization_key, notification_id, user_id, coalesce(w.notified_at, read.notified_at), w.user_id is not null, w.email,
           case when read.user_id is not null then coalesce($now, clock_timestamp()) end, coalesce(not read.persists_read, false)
      from wanted w full join read using (organization_key, notification_id, user_id)
     order by organization_key, notification_id, user_id
    on conflict (organization_key, notification_id, user_id) do update
       set is_named = excluded.is_named or r.is_named and not ${IS_RENAMED},
           email = case when excluded.is_named then excluded.email when not ${IS_RENAMED} then r.email end,
           read_at = coalesce(r.read_at, excluded.read_at),
           is_hidden = case when excluded.read_at is null then r.is_hidden else excluded.is_hidden end
  )
  select notification_id as "notificationId", found from item order by ord`,
)

/**
 * Deletes notifications of `source`, those of document `$2`, at location `$3`, addressed to user `$4`, with ids `$5`;
 * null: no such condition.
 */
const deletion = (by: string, source: string) =>
  statement<{ notificationId: string }>(
    `notifications.delete-by-${by}`,
    /* sql */ `
  with found as materialized (
    select n.notification_id, n.row
      from (${source}) n
      left join lateral (
        select r.is_named from notification_recipients r
         where r.organization_key = $1 and r.notification_id = n.notification_id and r.user_id = $4::text limit 1
      ) r on true
     where ($2::uuid is null or n.resource_key = $2::uuid)
       and ($3::text is null or n.location_id = $3::text)
       and ($4::text is null or r.is_named)
       and ($5::text[] is null or n.notification_id = any($5::text[]))
     limit ${LIMITS.recordsDeletedMax}
  ),
  deleted as (delete from notifications n using found f where n.ctid = f.row)
  select notification_id as "notificationId" from found order by notification_id`,
  )

const selected = (condition: string): string => /* sql */ `select n.*, n.ctid as row from notifications n
             where n.organization_key = $1 and ${condition}`

export const DELETE_NOTIFICATIONS_BY_ID = deletion(
  'id',
  /* sql */ `select n.* from (select distinct id from unnest($5::text[]) as asked (id)) asked
             cross join lateral (${selected('n.notification_id = asked.id')} limit 1) n`,
)
export const DELETE_NOTIFICATIONS_BY_USER = deletion(
  'user',
  /* sql */ `select n.* from (select r.notification_id from notification_recipients r
                                                  where r.organization_key = $1 and r.user_id = $4::text and r.is_named) r
             cross join lateral (${selected('n.notification_id = r.notification_id')} limit 1) n`,
)
export const DELETE_NOTIFICATIONS_BY_DOCUMENT = deletion('document', selected('n.resource_key = $2::uuid'))
export const DELETE_NOTIFICATIONS_BY_LOCATION = deletion('location', selected('n.location_id = $3::text'))
