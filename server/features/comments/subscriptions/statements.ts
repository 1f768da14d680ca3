/** The SQL statement that sets who follows threads. */
import { statement } from '#platform/db/statement.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'

/**
 * Sets the subscription `$5` of user `$4` to threads `$3` of document `$2` of organization `$1`, with the actor `$6` of
 * the events, and returns the existing threads. Runs under the lock of the organization.
 */
export const SET_SUBSCRIPTIONS = statement<{ annotationId: string }>(
  'thread-subscriptions.set',
  /* sql */ `
  with thread as materialized (
    select t.organization_key, t.resource_key, t.annotation_id, d.id as document_id,
           u.subscription = $5::text and u.is_manual as is_same
      from (select distinct id from unnest($3::text[]) as asked (id)) asked
     cross join lateral (
        select t.organization_key, t.resource_key, t.annotation_id from threads t
         where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = asked.id limit 1
     ) t
     cross join lateral (
        select d.id from resources d where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
     ) d
      left join lateral (
        select u.subscription, u.is_manual from thread_users u
         where u.organization_key = t.organization_key and u.resource_key = t.resource_key
           and u.annotation_id = t.annotation_id and u.user_id = $4::text limit 1
     ) u on true
  ),
  changed as materialized (select * from thread where is_same is not true),
  written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, is_manual)
    select organization_key, resource_key, annotation_id, $4::text, $5::text, true
      from changed order by organization_key, resource_key, annotation_id
    on conflict (organization_key, resource_key, annotation_id, user_id)
    do update set subscription = excluded.subscription, is_manual = true
  ),
  event as (
    select organization_key, row_number() over (order by annotation_id) as position, 'thread.' || $5::text as type,
           'document'::resource_kind as resource_kind, document_id as resource_id, $4::text as user_id, $6::jsonb as actor,
           null::jsonb as before, jsonb_build_object('annotationId', annotation_id) as after
      from changed
  ),
  ${RECORD_EVENTS}
  select annotation_id as "annotationId" from thread`,
)
