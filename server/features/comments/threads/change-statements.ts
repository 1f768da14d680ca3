/** The SQL statements that change and delete the threads of a document. */
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { MERGED } from '#tenancy/metadata.ts'
import { visibilityInEvents } from '#tenancy/thread-visibility.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'
import { changedTimes, joinChangeEvents } from './change-events.ts'

/**
 * Returns the threads of document `$2` of organization `$1` that match: `$3` to `$5` are lists, `$6` to `$8` about
 * agents; null: not given. Named threads are found by key, however many the document has.
 */
export const CHOOSE_THREADS = statement<{ annotationId: string }>(
  'threads.choose',
  /* sql */ `
  select t.annotation_id as "annotationId"
    from (
      select t.* from threads t where t.organization_key = $1 and t.resource_key = $2::uuid and $3::text[] is null
      union all
      select t.* from (select distinct id from unnest($3::text[]) as asked (id)) asked
       cross join lateral (
          select t.* from threads t
           where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = asked.id limit 1
        ) t
    ) t
   where ($4::text[] is null or t.location_id = any($4::text[])) and ($5::text[] is null or t.author_id = any($5::text[]))
     and ($6::text is null or t.agent_id = $6::text)
     and (not $7::boolean or t.agent_id is not null and t.suggestion_status = 'pending')
     and ($8::text[] is null or split_part(t.agent_url, '#', 1) = any($8::text[]))
   order by t.annotation_id`,
)

export interface ChosenThreadRow extends Pick<OrganizationRow, 'organizationKey'> {
  resourceKey: string
  documentId: string
  annotationId: string
  actor: Actor
  /** The user of the user token, whom the events name; null: an auth token. */
  byUserId: string | null
}

export interface ThreadChangeRow extends ChosenThreadRow {
  req: number
  /** `null` clears a field. */
  changes: string
  createdAt: string | null
  lastUpdated: string | null
  users: string
}

const CHOSEN_COLUMNS = { organizationKey: 'uuid', resourceKey: 'uuid', annotationId: 'text' } as const

const JOIN_CHOSEN = /* sql */ `
     cross join lateral (
        select t.ctid as row, t.content, t.bytes, t.comment_count, t.created_at as was_created_at, t.last_updated as was_last_updated,
               ${visibilityInEvents('t.visibility', 't.access_context')} as visibility from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t`

/** Returns the content of a thread that lists its author, unless everybody sees it (rules/comments.md#visibility). */
export const listingAuthor = (content: string): string => /* sql */ `
           case when ${content} -> 'visibility' ->> 'type' = 'public' or ${content} -> 'visibility' -> 'userIds' ? (${content} -> 'from' ->> 'userId')
                then ${content}
                else jsonb_set(${content}, '{visibility,userIds}',
                       coalesce(${content} -> 'visibility' -> 'userIds', '[]') || jsonb_build_array(${content} -> 'from' ->> 'userId'))
           end`

/**
 * Changes threads: each field of `changes` replaces the stored one. A status that is not terminal clears who resolved
 * the thread, only threads of the type `suggestion` keep a suggestion, and a thread that is not public lists its
 * author. A thread that does not change is not written. Runs under the lock of the organization; joins by `ctid`, which
 * cannot change under it.
 */
export const UPDATE_THREADS = setStatement<ThreadChangeRow, never>(
  'threads.update',
  { req: 'int', ...CHOSEN_COLUMNS },
  /* sql */ `
  with clock as materialized (select date_trunc('milliseconds', coalesce($now, clock_timestamp())) as now),
  named as materialized (
    select item.*, request.document_id, request.changes, request.created_at, request.last_updated, request.users,
           request.actor, request.by_user_id, t.row, t.content, t.bytes, t.was_created_at, t.was_last_updated,
           ${MERGED('t.content', 'fitting.changes')}
             - case when request.changes -> 'status' ->> 'type' <> 'terminal' then array['resolvedByUserId'] else '{}' end as merged
      from $input
      join $requests on request.req = item.req ${JOIN_CHOSEN}
     cross join lateral (
        select case when t.content ->> 'type' = 'suggestion' then request.changes else request.changes - 'suggestion' end as changes
      ) fitting
  ),
  listed as materialized (
    select n.*, ${listingAuthor('n.merged')} as new_content from named n
  ),
  changed as materialized (
    select *, ${changedTimes('listed', 'listed')} as times
      from listed
     where new_content <> content or created_at <> was_created_at or last_updated <> was_last_updated
  ),
  written as (
    update threads t
       set content = n.new_content, created_at = coalesce(n.created_at, t.created_at),
           last_updated = coalesce(n.last_updated, clock.now),
           bytes = t.bytes + octet_length(n.new_content::text) - octet_length(n.content::text)
      from changed n cross join clock where t.ctid = n.row
  ),
  users_written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id)
    select c.organization_key, c.resource_key, c.annotation_id, u.id
      from changed c cross join lateral jsonb_array_elements_text(c.users) as u(id)
     order by c.organization_key, c.resource_key, c.annotation_id, u.id
    on conflict (organization_key, resource_key, annotation_id, user_id) do nothing
  ),
  event as (
    select c.organization_key, c.ord * 10 + e.nth as position, e.type, 'document'::resource_kind as resource_kind,
           c.document_id as resource_id, coalesce(c.by_user_id, case e.nth when 1 then c.changes ->> 'statusUpdatedByUserId' end) as user_id, c.actor,
           case when e.before is not null then jsonb_build_object('annotationId', c.annotation_id) || e.before end as before,
           jsonb_build_object('annotationId', c.annotation_id) || e.after as after
      from changed c${joinChangeEvents('c')}
  ),
  ${RECORD_EVENTS}
  select null where false`,
  {
    documentId: 'text',
    changes: 'jsonb',
    createdAt: 'timestamptz',
    lastUpdated: 'timestamptz',
    users: 'jsonb',
    actor: 'jsonb',
    byUserId: 'text',
  },
)

/** Deletes threads with their comments. Runs under the lock of the organization; joins by `ctid`, which cannot change under it. */
export const DELETE_THREADS = setStatement<ChosenThreadRow, never>(
  'threads.delete',
  { ...CHOSEN_COLUMNS, documentId: 'text', actor: 'jsonb', byUserId: 'text' },
  /* sql */ `
  with named as materialized (
    select item.*, t.row, t.comment_count, t.visibility, case when t.row is not null then 'ok' end as outcome
      from $input ${JOIN_CHOSEN}
  ),
  thread as materialized (select * from named where outcome = 'ok'),
  deleted as (delete from threads t using thread n where t.ctid = n.row),
  event as (
    select organization_key, ord as position, 'thread.deleted' as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, by_user_id as user_id, actor,
           jsonb_build_object('annotationId', annotation_id, 'visibility', visibility, 'comments', comment_count) as before, null::jsonb as after
      from thread
  ),
  ${RECORD_EVENTS}
  select null where false`,
)
