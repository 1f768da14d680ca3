/** The SQL statements that read pages of notifications, from the index that selects the fewest. */
import { LIMITS } from '#contract/core/limits.ts'
import { type Statement, statement } from '#platform/db/statement.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import { isMember } from '#tenancy/grants.ts'
import { withinPage } from '#tenancy/page-bytes.ts'
import { JOIN_COMMENT } from './comment-statements.ts'

export interface NotificationRow {
  id: string
  notificationSource: string
  actionType: string | null
  actorId: string
  timestamp: number
  targetAnnotationId: string | null
  targetCommentId: number | null
  requiresAccess: boolean
  content: Record<string, unknown>
  /** The thread and the comment that it is about, as they are stored; null unless it is about one. */
  thread: Record<string, unknown> | null
  comment: Record<string, unknown> | null
  commentedAt: number | null
  /** The stored profile of the user who acted; null if there is none. */
  profile: Record<string, unknown> | null
  documentId: string
  resourceKey: string
  /** The ids and the e-mail addresses of the named recipients; null for a user. */
  namedIds: string[] | null
  namedEmails: (string | null)[] | null
  isNamed: boolean
  /** The e-mail address under which it names the user. */
  email: string | null
  isRead: boolean
  matches: boolean
  /** The scan of the page stopped at this row, which may not match. */
  isScanEnd: boolean
}

const FOLLOWING = {
  asc: "> (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, ''))",
  desc: "< (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, ''))",
}
type Order = keyof typeof FOLLOWING

/** The rows of a page are the first of these after the cursor. */
const scan = (order: Order, n: string): string =>
  /* sql */ `(${n}.notified_at, ${n}.notification_id) ${FOLLOWING[order]} order by ${n}.notified_at ${order}, ${n}.notification_id ${order} limit ${LIMITS.recordsExaminedPerPageMax}`

/**
 * Whether user `$9` is a recipient of notifications for all: a member of the organization by a live grant, who is not
 * disabled. It is decided when the list is read.
 */
const IS_MEMBER = /* sql */ `
  select ${isMember('$1', '$9::text')}
         and not ${userDisabled('$5', '$9::text')} as is_member`

/**
 * Lists notifications of organization `$1` after the one of time `$2` and id `$3`, at most `$4`, with the profiles of
 * API key `$5`: on document `$6`, at location `$7`, with ids `$8`, for user `$9`; null: no such condition. Nothing that
 * needs access to documents `$10` is listed. Scans a limited number. A notification that the user has read is not
 * listed unless it persists. A notification of a comment is listed for the users whom it concerns.
 */
const list = (by: string, source: (order: Order) => string): Readonly<Record<Order, Statement<NotificationRow>>> => {
  const ordered = (order: Order) =>
    statement<NotificationRow>(
      `notifications.list-by-${by} ${order}`,
      withinPage(
        /* sql */ `
  with member as materialized (${IS_MEMBER})
  select n.notification_id as id, n.notification_source as "notificationSource", n.action_type as "actionType", n.actor_id as "actorId",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id as "targetCommentId", n.requires_access as "requiresAccess", n.content, n.thread, n.comment,
         floor(extract(epoch from n.commented_at) * 1000)::float8 as "commentedAt", u.profile, d.id as "documentId", n.resource_key as "resourceKey",
         names.ids as "namedIds",
         names.emails as "namedEmails", coalesce(n.is_named, false) as "isNamed", n.email, n.read_at is not null or coalesce(n.is_seen, false) as "isRead", n.matches,
         n.scanned = ${LIMITS.recordsExaminedPerPageMax} as "isScanEnd"
    from (
      select n.*, r.is_named, r.email, r.read_at, commented.thread, commented.comment, commented.created_at as commented_at, commented.is_seen, row_number() over (order by n.notified_at ${order}, n.notification_id ${order}) as scanned,
             ($6::uuid is null or n.resource_key = $6::uuid) and ($7::text is null or n.location_id = $7::text)
               and ($8::text[] is null or n.notification_id = any($8::text[]))
               and not (n.requires_access and n.resource_key = any($10::uuid[]))
               and ($9::text is null or not coalesce(r.is_hidden, false) and (n.target_annotation_id is null or commented.is_for_user)
                    and (coalesce(r.is_named, false) or n.notifies_all and (select is_member from member))) as matches
        from (${source(order)}) n
        left join lateral (
          select r.is_named, r.email, r.read_at, r.is_hidden from notification_recipients r
           where r.organization_key = n.organization_key and r.notification_id = n.notification_id and r.user_id = $9::text limit 1
        ) r on true
        ${JOIN_COMMENT}
    ) n
   cross join lateral (
      select r.id from resources r where r.organization_key = n.organization_key and r.resource_key = n.resource_key limit 1
    ) d
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = n.actor_id limit 1) u on true
    left join lateral (
      select array_agg(r.user_id order by r.user_id) as ids, array_agg(r.email order by r.user_id) as emails
        from (select * from notification_recipients r
               where r.organization_key = n.organization_key and r.notification_id = n.notification_id and $9::text is null offset 0) r
       where r.is_named
    ) names on true
   where n.matches or n.scanned = ${LIMITS.recordsExaminedPerPageMax}
   order by n.notified_at ${order}, n.notification_id ${order} limit $4::int`,
        'content',
        'thread',
        'comment',
        'profile',
        '"namedIds"',
        '"namedEmails"',
      ),
    )
  return { asc: ordered('asc'), desc: ordered('desc') }
}

export const LIST_NOTIFICATIONS_BY_ID = list(
  'id',
  (order) => /* sql */ `select n.* from (select distinct id from unnest($8::text[]) as asked (id)) asked
               cross join lateral (
                  select n.* from notifications n where n.organization_key = $1 and n.notification_id = asked.id limit 1
               ) n
               where ${scan(order, 'n')}`,
)
export const LIST_NOTIFICATIONS_BY_DOCUMENT = list(
  'document',
  (order) => /* sql */ `select n.* from notifications n
               where n.organization_key = $1 and n.resource_key = $6::uuid and ${scan(order, 'n')}`,
)

/**
 * The inbox of a user: the keys of notifications that name the user, merged with those for all, which may name the user too. Only as many
 * as the page needs are read.
 */
export const LIST_NOTIFICATIONS_BY_USER = list(
  'user',
  (order) => /* sql */ `
         select k.notified_at, k.notification_id, n.organization_key, n.resource_key, n.notification_source, n.action_type, n.actor_id,
                n.target_annotation_id, n.target_comment_id, n.location_id, n.notifies_all, n.requires_access, n.content
           from (
             select distinct on (merged.notified_at, merged.notification_id) merged.notified_at, merged.notification_id from (
               (select i.notified_at, i.notification_id from notification_recipients i
                 where i.organization_key = $1 and i.user_id = $9::text and i.is_named and ${scan(order, 'i')})
               union all
               (select n.notified_at, n.notification_id from notifications n
                 where n.organization_key = $1 and n.notifies_all and (select is_member from member) and ${scan(order, 'n')})
             ) merged order by merged.notified_at ${order}, merged.notification_id ${order} limit ${LIMITS.recordsExaminedPerPageMax}
           ) k
          cross join lateral (
             select n.* from notifications n where n.organization_key = $1 and n.notification_id = k.notification_id limit 1
          ) n`,
)
