/** SQL that reads the content of a mail. */
import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'
import { statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import { joinMigrated } from '#tenancy/existence.ts'

export interface ReportedEvent {
  changedAt: Date
  resourceType: ResourceType | null
  resourceId: string | null
  resourceName: string | null
  organizationId: string | null
  organizationName: string | null
  /** The id of the invitation, in an event about one. */
  invitationId: string | null
  inviterName: string | null
  actor: Actor & { system?: string }
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  /** The settings of the key that decide about access if nothing else does. */
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
}

/**
 * Returns the events `$2` of a stream that are still about user `$3` or a user group, with the current names and ids of
 * their resources: a document may have been migrated since. Events of migrations keep the ids that they report. Events of
 * an erased user are omitted; if the user is disabled or is being erased, all events are. Events of an invitation have the
 * names that were given with it, and are omitted unless it is pending.
 */
export const GET_REPORTED_EVENTS = statement<ReportedEvent>(
  'mails.get-events',
  /* sql */ `
  select e.changed_at as "changedAt", e.resource_kind as "resourceType", coalesce(moved.id, e.resource_id) as "resourceId",
         coalesce(case e.resource_kind when 'document' then i.document_name when 'folder' then i.folder_name else i.organization_name end,
                  r.name, moved.name, case e.resource_kind when 'organization' then o.name end) as "resourceName",
         e.organization_id as "organizationId", coalesce(i.organization_name, o.name) as "organizationName",
         i.invitation_id as "invitationId", coalesce(i.invited_by->>'name', inviter.name, i.invited_by->>'email') as "inviterName",
         e.actor, e.before, e.after, k.default_access_type as "defaultAccessType", k.default_access_role as "defaultAccessRole"
    from events e
   cross join lateral (
      select k.default_access_type, k.default_access_role from api_keys k where k.api_key_id = e.api_key_id limit 1
    ) k
    left join lateral (
      select r.resource_key, r.name from resources r
       where r.organization_key = $1 and r.kind = e.resource_kind and r.id = e.resource_id limit 1
    ) r on true
    ${joinMigrated('$1', 'e.resource_id', "e.resource_kind = 'document' and r.resource_key is null and e.type not like 'document.migration.%'")}
    left join lateral (select o.name from organizations o where o.organization_key = $1 limit 1) o on true
    left join lateral (
      select i.* from invitations i
       where i.organization_key = $1 and i.invitee = $3
         and i.invitation_id = case when e.type like 'invitation.%' then (e.after->>'invitationId')::uuid end limit 1
    ) i on true
    left join lateral (
      select u.profile->>'name' as name from users u
       where u.api_key_id = e.api_key_id and u.user_id = i.inviter limit 1
    ) inviter on true
   where e.stream = $1 and e.sequence = any($2::bigint[]) and not ${userDisabled('e.api_key_id', '$3')}
     and not is_being_erased(e.api_key_id, e.organization_id, $3)
     and (e.type not like 'invitation.%' or i.status = 'PENDING')
     and (e.user_id is not distinct from $3::text or e.user_id is null and e.after ? 'groupId')
   order by e.sequence limit $4::int`,
)

export const GET_USER_NAME = statement<{ name: string | null }>(
  'mails.get-user-name',
  `select profile->>'name' as name from users where api_key_id = $1 and user_id = $2`,
)
