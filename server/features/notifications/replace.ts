/** Replaces users in the notifications of threads, as the threads replace them (rules/comments.md#replacing-users). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'

/**
 * Replaces users `$4` by the users `$5`, as JSON, in the notifications of threads `$3` of document `$2` of organization
 * `$1`: as recipients with their state, and as those who acted. All at once, so two can be exchanged. The own state of a
 * new user takes precedence. Nobody is notified of their own comment.
 */
export const REPLACE_NOTIFIED = statement<never>(
  'notifications.replace-users',
  /* sql */ `
  with pair as materialized (
    select old_id, other, other ->> 'userId' as new_id from unnest($4::text[], $5::jsonb[]) as pair (old_id, other)
  ),
  about as materialized (
    select n.ctid as row, n.notification_id, n.actor_id from unnest($3::text[]) as asked (annotation_id)
     cross join lateral (
        select n.ctid, n.notification_id, n.actor_id from notifications n
         where n.organization_key = $1 and n.resource_key = $2::uuid and n.target_annotation_id = asked.annotation_id offset 0
      ) n
  ),
  acted as (
    update notifications n set actor_id = p.new_id, content = jsonb_set(n.content, '{actionUser}', p.other)
      from about a join pair p on p.old_id = a.actor_id where n.ctid = a.row
  ),
  found as materialized (
    select r.row, coalesce(p.new_id, a.actor_id) as actor_id from about a
      left join pair p on p.old_id = a.actor_id
     cross join (select old_id as user_id from pair union select new_id from pair) concerned
     cross join lateral (
        select r.ctid as row from notification_recipients r
         where r.organization_key = $1 and r.notification_id = a.notification_id and r.user_id = concerned.user_id limit 1
      ) r
  ),
  taken as (
    delete from notification_recipients r using found f where r.ctid = f.row returning r.*, f.actor_id
  ),
  moved as (
    select t.*, coalesce(p.new_id, t.user_id) as new_id, p.old_id is not null as is_replaced,
           case when p.old_id is null then t.email else p.other ->> 'email' end as new_email
      from taken t left join pair p on p.old_id = t.user_id
  )
  insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named, email, read_at, is_hidden)
  select organization_key, notification_id, new_id, min(notified_at), bool_or(is_named), (array_agg(new_email order by is_replaced))[1],
         (array_agg(read_at order by is_replaced))[1], (array_agg(is_hidden order by is_replaced))[1]
    from moved where new_id <> actor_id
   group by organization_key, notification_id, new_id
   order by organization_key, notification_id, new_id`,
)

/** Replaces users in the notifications of threads of a document, under the lock of its organization. */
export async function replaceNotified(
  session: Session,
  threads: { organizationKey: OrganizationKey; resourceKey: string; ids: readonly string[] },
  others: ReadonlyMap<string, UserRef>,
): Promise<void> {
  const { organizationKey, resourceKey, ids } = threads
  const contacts = [...others.values()].map((other) => JSON.stringify(other))
  await session.run(REPLACE_NOTIFIED, [organizationKey, resourceKey, ids, [...others.keys()], contacts])
}
