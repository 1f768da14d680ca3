/** The SQL statements that read pages of activities, from the index that selects the fewest. */
import type { Activity } from '#contract/activities/activities.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import { type Statement, statement } from '#platform/db/statement.ts'
import { withinPage } from '#tenancy/page-bytes.ts'
import { existsSince, isVisibleTo, OF_DELETED_THREAD } from '#tenancy/thread-visibility.ts'

export interface ActivityRow {
  id: string
  featureType: Activity['featureType']
  actionType: string
  timestamp: number
  targetEntityId: string | null
  targetSubEntityId: string | null
  isImmutable: boolean
  content: { actionUser: UserRef }
  /** The stored profile of the user who acted; null if there is none. */
  profile: Record<string, unknown> | null
  documentId: string
  folderId: string | null
  matches: boolean
  /** The scan of the page stopped at this row, which may not match. */
  isScanEnd: boolean
}

/** The rows after the cursor, in each order. Without a cursor, all. */
const FOLLOWING = {
  asc: "> (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, ''))",
  desc: "< (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, ''))",
}
type TimeOrder = keyof typeof FOLLOWING

/** Activities about a thread that are recorded nowhere else. */
const OF_THREAD = /* sql */ `a.feature_type in ('comment', 'reaction')`

/**
 * Whether the reader may know of an activity. User `$12` may if the activity is on the document, and is about no thread
 * or about a thread that the user sees; null is an auth token, which reads all. Who saw a deleted thread is unknown,
 * even if a later thread has its id. An activity that names a target is about a thread as long as the thread exists,
 * and indefinitely if the thread was private.
 */
const FOR_READER = /* sql */ `($12::text is null or a.resource_key = $6::uuid and coalesce(
                   (select ${isVisibleTo('t', '$12::text')} and (not ${OF_THREAD} or ${existsSince('t')} <= a.recorded_at)
                      from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   not ${OF_THREAD}) and not ${OF_DELETED_THREAD})`

/**
 * Lists activities of organization `$1` after the one of time `$2` and id `$3`, at most `$4`, with the profiles of API
 * key `$5`: those of document `$6`, of target `$7`, of types `$8`, of actions `$9`, by user `$10`, with ids `$11`, for
 * reader `$12`; null: no such condition. Scans a limited number of activities. Hidden ones do not count, so that no
 * page reveals how many there are.
 */
const list = (by: string, source: string): Readonly<Record<TimeOrder, Statement<ActivityRow>>> => {
  const ordered = (order: TimeOrder) =>
    statement<ActivityRow>(
      `activities.list-by-${by} ${order}`,
      withinPage(
        /* sql */ `
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = ${LIMITS.recordsExaminedPerPageMax} as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at ${order}, a.activity_id ${order}) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) as matches
        from (select a.* from ${source} and (a.recorded_at, a.activity_id) ${FOLLOWING[order]} and ${FOR_READER}
               order by a.recorded_at ${order}, a.activity_id ${order} limit ${LIMITS.recordsExaminedPerPageMax}) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = ${LIMITS.recordsExaminedPerPageMax}
   order by a.recorded_at ${order}, a.activity_id ${order} limit $4::int`,
        'content',
        'profile',
      ),
    )
  return { asc: ordered('asc'), desc: ordered('desc') }
}

const where = (condition: string): string => /* sql */ `activities a
               where a.organization_key = $1 and ${condition}`

export const LIST_ACTIVITIES_BY_ID = list(
  'id',
  /* sql */ `(select distinct id from unnest($11::text[]) as asked (id)) asked
               cross join lateral (select a.* from ${where('a.activity_id = asked.id')} limit 1) a
               where true`,
)
export const LIST_ACTIVITIES_BY_TARGET = list('target', where('a.target_entity_id = $7::text'))
export const LIST_ACTIVITIES_BY_DOCUMENT = list('document', where('a.resource_key = $6::uuid'))
export const LIST_ACTIVITIES_BY_USER = list('user', where('a.actor_id = $10::text'))
export const LIST_ACTIVITIES = list('time', where(`a.recorded_at >= '-infinity'`))
