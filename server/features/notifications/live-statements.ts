/** The SQL statement that finds new notifications in the inboxes of users who read a stream. */
import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { decided } from '#features/permissions/shared.ts'
import { setStatement } from '#platform/db/statement.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import { isMember } from '#tenancy/grants.ts'
import { joinComment } from './comment-statements.ts'

export interface InboxRow {
  organizationKey: OrganizationKey
  apiKeyId: string
  userId: string
  /**
   * The position up to which the inbox is known: its time, ISO 8601 with microseconds, and its id. Null: only the
   * newest position is wanted.
   */
  afterAt: string | null
  afterId: string
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
}

export interface InboxOutcome {
  /** The position up to which it is known then. */
  at: string
  id: string
  /** The new notifications that the inbox lists. Notifications of the last moment can be returned again next time. */
  notificationIds: string[]
}

/** How many new notifications of a user are looked at in one statement. */
const NEW_MAX = 50

const OF_USER = 'i.organization_key = item.organization_key and i.user_id = item.user_id and i.is_named'
const TO_ALL = 'n.organization_key = item.organization_key and n.notifies_all'

const NOW = 'coalesce($now, statement_timestamp())'
/**
 * A position after the time of the statement was given by a database whose clock was ahead: the one before a failover,
 * or before a move of the bucket, which allows a difference of five seconds. New notifications have times before that
 * position. So until the clock has passed that position, the last five seconds are read again each time: a notification
 * that is committed only now may have a time before that of the last statement.
 */
const AFTER_AT = `case when item.after_at > ${NOW} then ${NOW} - interval '5 seconds' else item.after_at end`
const AFTER = (row: string) => `(${row}.notified_at, ${row}.notification_id) > (${AFTER_AT}, item.after_id)`
/** Holds for every row, and makes the planner begin at the end of the index. */
const ANY = (row: string) => `(${row}.notified_at, ${row}.notification_id) < ('infinity'::timestamptz, '')`
const ORDER = (row: string, direction: string) => `${row}.notified_at ${direction}, ${row}.notification_id ${direction}`

/** Notifications of one millisecond have no order, so the last few are read again. */
const IS_JUST_NOW = (at: string) =>
  `${at} between ${NOW} - interval '5 milliseconds' and ${NOW} + interval '5 milliseconds'`

/**
 * Returns the new notifications in the inbox of each user after the position of the row, decided at the time of the
 * statement as `notifications/get` decides, and the new position.
 */
export const READ_NEW_IN_INBOX = setStatement<InboxRow, InboxOutcome>(
  'notifications.read-new',
  {
    organizationKey: 'uuid',
    apiKeyId: 'text',
    userId: 'text',
    afterAt: 'timestamptz',
    afterId: 'text',
    defaultAccessType: 'access_type',
    defaultAccessRole: 'access_role',
  },
  /* sql */ `
  with asked as materialized (
    select item.*, newest.notified_at as newest_at, newest.notification_id as newest_id
      from $input
      left join lateral (
        select x.notified_at, x.notification_id from (
          (select i.notified_at, i.notification_id from notification_recipients i where ${OF_USER} and ${ANY('i')} order by ${ORDER('i', 'desc')} limit 1)
          union all
          (select n.notified_at, n.notification_id from notifications n where ${TO_ALL} and ${ANY('n')} order by ${ORDER('n', 'desc')} limit 1)
        ) x order by ${ORDER('x', 'desc')} limit 1
      ) newest on true
  ),
  new as materialized (
    select item.*, n.notified_at, n.notification_id, n.requires_access, d.id as document_id,
           not coalesce(r.is_hidden, false) and coalesce(n.content #> '{context,access}', '{}') = '{}'
             and (n.target_annotation_id is null or commented.is_for_user)
             and (coalesce(r.is_named, false)
                  or ${isMember('item.organization_key', 'item.user_id')}
                     and not ${userDisabled('item.api_key_id', 'item.user_id')}) as is_listed
      from asked item
     cross join lateral (
        select x.notified_at, x.notification_id from (
          (select i.notified_at, i.notification_id from notification_recipients i
            where ${OF_USER} and ${AFTER('i')} order by ${ORDER('i', '')} limit ${NEW_MAX})
          union
          (select n.notified_at, n.notification_id from notifications n
            where ${TO_ALL} and ${AFTER('n')} order by ${ORDER('n', '')} limit ${NEW_MAX})
        ) x order by ${ORDER('x', '')} limit ${NEW_MAX}
      ) k
     cross join lateral (
        select n.* from notifications n
         where n.organization_key = item.organization_key and n.notification_id = k.notification_id limit 1
      ) n
     cross join lateral (
        select d.id from resources d where d.organization_key = n.organization_key and d.resource_key = n.resource_key limit 1
      ) d
      left join lateral (
        select r.is_named, r.is_hidden from notification_recipients r
         where r.organization_key = n.organization_key and r.notification_id = n.notification_id and r.user_id = item.user_id limit 1
      ) r on true ${joinComment('item.user_id')}
  ),
  question as materialized (
    select item.organization_key, 'document'::resource_kind as kind, item.document_id as resource_id, item.user_id,
           item.default_access_type, item.default_access_role, null::access_role as at_least, item.ord as asked, item.notification_id
      from new item where item.is_listed and item.requires_access
  ),
  ${decided('question item').trim()},
  last as (
    select distinct on (n.ord) n.ord, n.notified_at as at, n.notification_id as id
      from new n order by n.ord, ${ORDER('n', 'desc')}
  ),
  listed as (
    select n.ord, array_agg(n.notification_id order by n.notified_at, n.notification_id) as ids
      from new n
      left join decided d on d.asked = n.ord and d.notification_id = n.notification_id
     where n.is_listed and (d.allowed or not n.requires_access)
     group by n.ord
  ),
  newest as (
    select a.ord, coalesce(last.at, a.newest_at) as at, coalesce(last.id, a.newest_id, '') as id from asked a left join last on last.ord = a.ord
  ),
  known as (
    select ord, at, id from newest where at is null or not ${IS_JUST_NOW('at')}
    union all
    select ord, ${NOW} - interval '5 milliseconds', '' from newest where ${IS_JUST_NOW('at')}
  )
  select coalesce(to_char(k.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.USZ'), '-infinity') as at, k.id,
         coalesce(listed.ids, '{}') as "notificationIds"
    from known k left join listed on listed.ord = k.ord
   order by k.ord`,
)
