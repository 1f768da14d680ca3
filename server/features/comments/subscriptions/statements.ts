/** The SQL statement that sets who follows threads. */
import { statement } from '#platform/db/statement.ts'

/**
 * Sets the subscription `$5` of user `$4` to threads `$3` of document `$2` of organization `$1`, and returns the threads that there are. Runs
 * under the lock of the organization.
 */
export const SET_SUBSCRIPTIONS = statement<{ annotationId: string }>(
  'thread-subscriptions.set',
  /* sql */ `
  insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, is_manual)
  select t.organization_key, t.resource_key, t.annotation_id, $4::text, $5::text, true
    from (select distinct id from unnest($3::text[]) as asked (id)) asked
   cross join lateral (
      select t.organization_key, t.resource_key, t.annotation_id from threads t
       where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = asked.id limit 1
   ) t
   order by t.organization_key, t.resource_key, t.annotation_id
  on conflict (organization_key, resource_key, annotation_id, user_id)
  do update set subscription = excluded.subscription, is_manual = true
  returning annotation_id as "annotationId"`,
)
