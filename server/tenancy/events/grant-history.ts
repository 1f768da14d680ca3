/**
 * The SQL statement that finds the history of a grant in the events: since when it exists, who set it, and when its
 * user last signed in and was last active.
 */

import type { ResourceType } from '#contract/access/permissions.ts'
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import type { Event } from '#contract/events/events.ts'
import { setStatement } from '#platform/db/statement.ts'

/** A grant of a user or of a group. */
export interface GrantHistoryRow {
  organizationKey: OrganizationKey
  apiKeyId: ApiKeyId
  userId: string | null
  groupId: string | null
  kind: ResourceType
  resourceId: string
  isTemporary: boolean
  /** How many of the latest events of the user, and of the resource, are examined. */
  eventsMax: number
}

export interface GrantHistory {
  /** Unix milliseconds. */
  grantedAt?: number
  grantedBy?: Event['actor']
  lastSignInAt?: number
  lastActiveAt?: number
}

/**
 * Searches the last `permission.added` of the grant among the latest events of its user and of its resource. Both are
 * read backwards in the order of an index, and no further than `eventsMax`, so a grant costs the same with any number
 * of events. A user who signs in or writes a comment is active: only in events of these acts is the user of the event
 * the one who acts.
 */
export const FIND_GRANT_HISTORY = setStatement<GrantHistoryRow, { history: GrantHistory }>(
  'grants.find-history',
  {
    organizationKey: 'uuid',
    apiKeyId: 'text',
    userId: 'text',
    groupId: 'text',
    kind: 'resource_kind',
    resourceId: 'text',
    isTemporary: 'boolean',
    eventsMax: 'int',
  },
  /* sql */ `
  select jsonb_strip_nulls(jsonb_build_object(
           'grantedAt', floor(extract(epoch from added.changed_at) * 1000), 'grantedBy', added.actor,
           'lastSignInAt', floor(extract(epoch from seen.signed_in_at) * 1000),
           'lastActiveAt', floor(extract(epoch from seen.active_at) * 1000))) as history
    from $input
    left join lateral (
      select e.changed_at, e.actor
        from (
          select latest.* from (
            select e.* from events e
             where e.stream = item.organization_key and e.user_id = item.user_id
             order by e.sequence desc limit item.events_max) latest
          union all
          select latest.* from (
            select e.* from events e
             where e.stream = item.organization_key and e.resource_kind = item.kind and e.resource_id = item.resource_id
             order by e.sequence desc limit item.events_max) latest
        ) e
       where e.type = 'permission.added' and e.user_id is not distinct from item.user_id
         and e.after ->> 'groupId' is not distinct from item.group_id
         and e.resource_kind = item.kind and e.resource_id = item.resource_id
         and (e.after ->> 'expiresAt' is not null) = item.is_temporary
       order by e.sequence desc limit 1
    ) added on true
    left join lateral (
      select max(e.changed_at) filter (where e.type = 'user_token.generated') as signed_in_at,
             max(e.changed_at) as active_at
        from (
          select e.type, e.changed_at from events e
           where e.api_key_id = item.api_key_id and e.user_id = item.user_id
           order by e.tick desc, e.stream desc, e.sequence desc limit item.events_max
        ) e
       where e.type in ('user_token.generated', 'thread.added', 'comment.added')
    ) seen on true
   order by item.ord`,
)
