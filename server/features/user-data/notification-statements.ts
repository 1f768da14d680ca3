/**
 * SQL that erases users from notifications, in portions: what deletes a row per recipient must not hold the lock of an organization for as
 * long as there are recipients. Runs under the lock of the organizations. Joins by `ctid`, which cannot change under the lock.
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement } from '#platform/db/statement.ts'
import { ROWS_MAX } from '#tenancy/user-jobs/statements.ts'

interface NotifiedUserRow {
  organizationKey: OrganizationKey
  userId: string
}

/** There is more to erase before the rest is. */
interface MoreRow {
  hasMore: boolean
}

/** The most notifications that one statement deletes. */
const DELETED_MAX = 200

/**
 * Deletes notifications about what users did, with their recipients: at most 200, and no more after the first that brings the recipients
 * to `ROWS_MAX`. Deletes nothing, and returns that there are no more, if all of them are within these numbers: `REMOVE_USERS` deletes them.
 * One of each user is always left to it, because it tells of the removal of those of whom it deletes something.
 */
export const ERASE_ACTED_NOTIFICATIONS = setStatement<NotifiedUserRow, MoreRow>(
  'user-data.erase-acted-notifications',
  { organizationKey: 'uuid', userId: 'text' },
  /* sql */ `
  with recursive item as materialized (select * from $input),
  page as materialized (
    select n.*, row_number() over () as nth from item
     cross join lateral (
        select n.ctid as row, n.organization_key, n.notification_id from notifications n
         where n.organization_key = item.organization_key and n.actor_id = item.user_id limit ${DELETED_MAX + 1} offset 1
     ) n
     limit ${DELETED_MAX + 1}
  ),
  chosen (nth, row, recipients) as (
    select 0::bigint, null::tid, 0::bigint
     union all
    select p.nth, p.row, c.recipients + r.count
      from chosen c join page p on p.nth = c.nth + 1
     cross join lateral (
        select count(*) as count from (
          select from notification_recipients r
           where r.organization_key = p.organization_key and r.notification_id = p.notification_id limit ${ROWS_MAX}) each_row
     ) r
     where c.nth < ${DELETED_MAX} and c.recipients < ${ROWS_MAX}
  ),
  more as materialized (select (select count(*) from page) > (select max(nth) from chosen) as has_more),
  deleted as (
    delete from notifications n using chosen c where n.ctid = c.row and (select has_more from more)
  )
  select has_more as "hasMore" from more`,
)

/** The text that replaces an erased user in a notification. */
const ERASED_NAME = '"[erased]"'

/** The object with the values that the templates of a notification name. */
const TEMPLATE_DATA = "'{displayHeadlineMessageTemplateData,displayBodyMessageTemplateData}'::text[]"

/**
 * Removes users from the data of notifications for them, which others may have too, unless they are deleted with their
 * actor. Any value may be a user, such as `{assignee}`. Of more than `ROWS_MAX`, not counting the first of each user, it takes as many out
 * of their inboxes, and returns that there are more; the others are left to `REMOVE_USERS`, which tells of the removal of each user.
 */
export const FORGET_IN_NOTIFICATIONS = setStatement<NotifiedUserRow, MoreRow>(
  'user-data.forget-in-notifications',
  { organizationKey: 'uuid', userId: 'text' },
  /* sql */ `
  with item as materialized (select * from $input),
  page as materialized (
    select *, case when held > 1 then row_number() over (partition by held > 1) end as nth
      from (select r.* from item
             cross join lateral (
                select *, row_number() over () as held
                  from (select r.ctid as row, r.organization_key, r.notification_id, r.user_id from notification_recipients r
                         where r.organization_key = item.organization_key and r.user_id = item.user_id limit ${ROWS_MAX + 2}) of_user
             ) r
             limit ${ROWS_MAX + 1} + (select count(*) from item)) r
  ),
  naming as materialized (
    select n.row, array_agg(item.user_id) as user_ids from page item
     cross join lateral (
        select n.ctid as row, n.actor_id from notifications n
         where n.organization_key = item.organization_key and n.notification_id = item.notification_id
           and n.content ?| ${TEMPLATE_DATA} limit 1
     ) n
     cross join lateral (
        select o.api_key_id, o.organization_id from organizations o where o.organization_key = item.organization_key limit 1
     ) o
     where not is_being_erased(o.api_key_id, o.organization_id, n.actor_id)
     group by n.row
  ),
  forgotten as (
    update notifications n
       set content = n.content || (
             select jsonb_object_agg(data.name, (
                      select coalesce(jsonb_object_agg(v.key, case when v.value ->> 'userId' = any(user_ids) then '${ERASED_NAME}' else v.value end), '{}')
                        from jsonb_each(n.content -> data.name) as v))
               from unnest(${TEMPLATE_DATA}) as data(name) where n.content ? data.name)
      from naming where n.ctid = naming.row
  ),
  deleted as (
    delete from notification_recipients r using page
     where r.ctid = page.row and page.nth <= ${ROWS_MAX} and (select count(nth) from page) > ${ROWS_MAX}
  )
  select count(nth) > ${ROWS_MAX} as "hasMore" from page`,
)
