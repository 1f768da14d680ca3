/** SQL that reads the data held about a user. */
import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import { INVITATION, type InvitationRow } from '#features/invitations/shared.ts'
import { statement } from '#platform/db/statement.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import { joinEach } from '#tenancy/grants.ts'

/** Returns the profile of user `$2`, null if there is none, and whether the user is disabled. */
export const GET_PROFILE = statement<{ profile: Record<string, unknown> | null; disabled: boolean }>(
  'user-data.profile',
  /* sql */ `
  select (select profile from users where api_key_id = $1 and user_id = $2) as profile, ${userDisabled('$1', '$2')} as disabled`,
)

export interface UserGrantRow {
  type: ResourceType
  resourceKey: string
  id: string
  isTemporary: boolean
  accessRole: AccessRole
  expiresAt: Date | null
}

/** At most `$5` grants of user `$2`, after the grant of kind `$3` on resource `$4`; that was the temporary one if `$6`. */
export const LIST_GRANTS = statement<UserGrantRow>(
  'user-data.grants',
  /* sql */ `
  select g.kind as type, g.resource_key as "resourceKey", r.id, each_grant.is_temporary as "isTemporary",
         each_grant.role as "accessRole", each_grant.expires_at as "expiresAt"
    from grants g join resources r on r.organization_key = g.organization_key and r.resource_key = g.resource_key${joinEach('g')}
   where g.organization_key = $1 and g.principal = $2 and (g.kind, g.resource_key) >= ($3::resource_kind, $4::uuid)
     and (g.kind, g.resource_key, each_grant.is_temporary) > ($3::resource_kind, $4::uuid, $6::boolean)
   order by g.kind, g.resource_key, each_grant.is_temporary limit $5::int`,
)

export interface UserGroupRow {
  groupId: string
  groupName: string | null
}

/** User groups of user `$2` after id `$3`, at most `$4`. */
export const LIST_USER_GROUPS = statement<UserGroupRow>(
  'user-data.user-groups',
  /* sql */ `
  select m.group_id as "groupId", g.name as "groupName"
    from user_group_members m join user_groups g on g.organization_key = m.organization_key and g.group_id = m.group_id
   where m.organization_key = $1 and m.user_id = $2 and m.group_id > $3
   order by m.group_id limit $4::int`,
)

/** Invitations of user `$2`, or of the person `$3` who is invited by the user's address, after id `$4`, at most `$5`. */
export const LIST_INVITATIONS = statement<InvitationRow>(
  'user-data.invitations',
  /* sql */ `
  select ${INVITATION}
    from (select * from invitations
           where organization_key = $1 and invitee = any(array[$2, $3]::text[]) and invitation_id > $4::uuid
           order by invitation_id limit $5::int) i
   cross join lateral (
      select r.id from resources r where r.organization_key = i.organization_key and r.resource_key = i.resource_key limit 1
    ) r
   order by i.invitation_id`,
)

export interface UserEventRow {
  sequence: string
  type: string
  changedAt: Date
  organizationId: string | null
  resourceType: ResourceType | null
  resourceId: string | null
  /** The user shared with somebody else, whom the event is about. */
  isShared: boolean
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Events of stream `$1` after number `$3` that are about user `$2`, or that the user caused by sharing, at most `$4`. */
export const LIST_EVENTS = statement<UserEventRow>(
  'user-data.events',
  /* sql */ `
  select sequence::text, type, changed_at as "changedAt", organization_id as "organizationId",
         resource_kind as "resourceType", resource_id as "resourceId", e.user_id is distinct from $2 as "isShared", before, after
    from (select * from (select * from events e where e.stream = $1 and e.user_id = $2 and e.sequence > $3::bigint
                          order by e.sequence limit $4::int) about
          union all
          select * from (select * from events e
                          where e.stream = $1 and e.actor ->> 'userId' = $2 and e.sequence > $3::bigint
                            and e.user_id is distinct from $2
                          order by e.sequence limit $4::int) caused) e
   order by e.sequence limit $4::int`,
)
