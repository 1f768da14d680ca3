/**
 * The SQL statements that write stored notifications, their recipients, and activities. All run under the lock of the
 * organization; each id may appear only once.
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { SetOutcomeRow } from './thread-statements.ts'

interface OfOrganization {
  organizationKey: OrganizationKey
}

export interface NotificationRow extends OfOrganization {
  resourceKey: string
  notificationId: string
  timestamp: string
  notificationSource: string
  actionType: string | null
  actorId: string
  targetAnnotationId: string | null
  targetCommentId: number | null
  locationId: string | null
  notifyAll: boolean
  requiresAccess: boolean
  content: object
}

/**
 * Writes notifications. One of a comment needs the comment, with which it is deleted. The users whom an existing one names have it at its
 * new time, even those about whom the import says nothing.
 */
export const SET_NOTIFICATIONS = setStatement<NotificationRow, SetOutcomeRow>(
  'comment-data.set-notifications',
  {
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    notificationId: 'text',
    timestamp: 'timestamptz',
    notificationSource: 'text',
    actionType: 'text',
    actorId: 'text',
    targetAnnotationId: 'text',
    targetCommentId: 'bigint',
    locationId: 'text',
    notifyAll: 'boolean',
    requiresAccess: 'boolean',
    content: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, held.notified_at <> item.timestamp as is_moved,
           case when item.target_comment_id is not null and c.comment_id is null then 'missing' else 'ok' end as outcome
      from $input
      left join lateral (
        select c.comment_id from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key
           and c.annotation_id = item.target_annotation_id and c.comment_id = item.target_comment_id limit 1
      ) c on true
      left join lateral (
        select n.notified_at from notifications n
         where n.organization_key = item.organization_key and n.notification_id = item.notification_id limit 1
      ) held on true
  ),
  written as (
    insert into notifications (organization_key, notification_id, resource_key, notified_at, notification_source, action_type, actor_id,
                               target_annotation_id, target_comment_id, location_id, notifies_all, requires_access, content)
    select organization_key, notification_id, resource_key, timestamp, notification_source, action_type, actor_id,
           target_annotation_id, target_comment_id, location_id, notify_all, requires_access, content
      from named where outcome = 'ok' order by organization_key, notification_id
    on conflict (organization_key, notification_id) do update
       set resource_key = excluded.resource_key, notified_at = excluded.notified_at, notification_source = excluded.notification_source,
           action_type = excluded.action_type, actor_id = excluded.actor_id, target_annotation_id = excluded.target_annotation_id,
           target_comment_id = excluded.target_comment_id, location_id = excluded.location_id, notifies_all = excluded.notifies_all,
           requires_access = excluded.requires_access, content = excluded.content
  ),
  moved as materialized (
    select r.row, n.timestamp from named n
     cross join lateral (
        select r.ctid as row from notification_recipients r
         where r.organization_key = n.organization_key and r.notification_id = n.notification_id offset 0
     ) r
     where n.outcome = 'ok' and n.is_moved
  ),
  recipients_moved as (
    update notification_recipients r set notified_at = m.timestamp from moved m where r.ctid = m.row
  )
  select ord::int, outcome from named order by ord`,
)

export interface RecipientRow extends OfOrganization {
  notificationId: string
  userId: string
  isNamed: boolean
  email: string | null
  readAt: string | null
  isHidden: boolean
}

/** Writes the state of notifications that exist for users. */
export const SET_RECIPIENTS = setStatement<RecipientRow, SetOutcomeRow>(
  'comment-data.set-recipients',
  {
    organizationKey: 'uuid',
    notificationId: 'text',
    userId: 'text',
    isNamed: 'boolean',
    email: 'text',
    readAt: 'timestamptz',
    isHidden: 'boolean',
  },
  /* sql */ `
  with named as materialized (
    select item.*, n.notified_at, case when n.notified_at is null then 'missing' else 'ok' end as outcome
      from $input
      left join lateral (
        select n.notified_at from notifications n
         where n.organization_key = item.organization_key and n.notification_id = item.notification_id limit 1
      ) n on true
  ),
  written as (
    insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named, email, read_at, is_hidden)
    select organization_key, notification_id, user_id, notified_at, is_named, email, read_at, is_hidden
      from named where outcome = 'ok' order by organization_key, user_id, notification_id
    on conflict (organization_key, user_id, notification_id) do update
       set notified_at = excluded.notified_at, is_named = excluded.is_named, email = excluded.email, read_at = excluded.read_at,
           is_hidden = excluded.is_hidden
  )
  select ord::int, outcome from named order by ord`,
)

/** Merges levels of channels into the levels of users. */
export const SET_STORED_PREFERENCES = setStatement<
  OfOrganization & { resourceKey: string; userId: string; config: object },
  never
>(
  'comment-data.set-preferences',
  { organizationKey: 'uuid', resourceKey: 'uuid', userId: 'text', config: 'jsonb' },
  /* sql */ `
  insert into notification_preferences as p (organization_key, resource_key, user_id, channels)
  select organization_key, resource_key, user_id, config from $input order by organization_key, resource_key, user_id
  on conflict (organization_key, resource_key, user_id) do update set channels = p.channels || excluded.channels`,
)

export interface ActivityRow extends OfOrganization {
  resourceKey: string
  id: string
  timestamp: string
  featureType: string
  actionType: string
  actorId: string
  targetEntityId: string | null
  targetSubEntityId: string | null
  immutable: boolean
  isOfPrivateThread: boolean
  content: object
}

/**
 * Writes activities. An existing immutable activity is not changed. An activity about a deleted private thread also
 * hides everything earlier about a thread of that id.
 */
export const SET_ACTIVITIES = setStatement<ActivityRow, SetOutcomeRow>(
  'comment-data.set-activities',
  {
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    id: 'text',
    timestamp: 'timestamptz',
    featureType: 'text',
    actionType: 'text',
    actorId: 'text',
    targetEntityId: 'text',
    targetSubEntityId: 'text',
    immutable: 'boolean',
    isOfPrivateThread: 'boolean',
    content: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, coalesce(held.is_same, false) as is_same,
           case when held.is_immutable and not held.is_same then 'immutable' else 'ok' end as outcome
      from $input
      left join lateral (
        select a.is_immutable,
               (a.resource_key, a.recorded_at, a.feature_type, a.action_type, a.actor_id, a.target_entity_id, a.target_sub_entity_id, a.is_immutable, a.content)
               is not distinct from (item.resource_key, item.timestamp, item.feature_type, item.action_type, item.actor_id, item.target_entity_id,
                                     item.target_sub_entity_id, item.immutable, item.content) as is_same
          from activities a
         where a.organization_key = item.organization_key and a.activity_id = item.id limit 1
      ) held on true
  ),
  written as (
    insert into activities (organization_key, activity_id, resource_key, recorded_at, feature_type, action_type, actor_id,
                            target_entity_id, target_sub_entity_id, is_immutable, content)
    select organization_key, id, resource_key, timestamp, feature_type, action_type, actor_id, target_entity_id, target_sub_entity_id, immutable, content
      from named where outcome = 'ok' and not is_same order by organization_key, id
    on conflict (organization_key, activity_id) do update
       set resource_key = excluded.resource_key, recorded_at = excluded.recorded_at, feature_type = excluded.feature_type,
           action_type = excluded.action_type, actor_id = excluded.actor_id, target_entity_id = excluded.target_entity_id,
           target_sub_entity_id = excluded.target_sub_entity_id, is_immutable = excluded.is_immutable, content = excluded.content
  ),
  hidden as (
    insert into deleted_private_threads as p (organization_key, resource_key, annotation_id, hides_until)
    select organization_key, resource_key, target_entity_id, max(timestamp) + interval '1 millisecond'
      from named where outcome = 'ok' and is_of_private_thread and target_entity_id is not null
     group by organization_key, resource_key, target_entity_id
     order by organization_key, resource_key, target_entity_id
    on conflict (organization_key, resource_key, annotation_id) do update
       set hides_until = greatest(p.hides_until, excluded.hides_until)
  )
  select ord::int, outcome from named order by ord`,
)
