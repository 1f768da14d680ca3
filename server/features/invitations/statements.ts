/**
 * The SQL statements that add, renew and answer invitations. They run under the lock of the organization, so a row that
 * they have found stays where it is (`ctid`).
 */

import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import type { InvitationStatus, InvitedBy } from '#contract/resources/invitations.ts'
import { declareMissing } from '#features/permissions/shared.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { OPENING_EVENTS, opening, RECORD_EVENTS } from '#tenancy/events/record.ts'
import { JOIN_NAMED } from '#tenancy/existence.ts'
import { type AccessInForce, accessInForce } from '#tenancy/public-access.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

export interface NewInvitation extends OrganizationRow {
  kind: ResourceType
  resourceId: string
  /** Refuses a resource that was not added. */
  knownOnly: boolean
  /** The e-mail address as it is compared. */
  address: string
  email: string
  /** See `tenancy/principals.ts`. */
  invitee: string
  /** Null, like the following: not given. */
  accessRole: AccessRole | null
  organizationName: string | null
  folderName: string | null
  documentName: string | null
  /** The user or address that `invitedBy` names. */
  inviter: string | null
  invitedBy: InvitedBy | null
  actor: Actor
}

export interface NewInvitationOutcome extends AccessInForce {
  outcome: 'ok' | 'resource_does_not_exist' | 'document_was_migrated'
  migratedTo: string | null
}

/** The fields of an invitation in events. */
const facts = (role: string, email = 'email'): string =>
  `jsonb_strip_nulls(jsonb_build_object('invitationId', invitation_id, 'email', ${email}, 'accessRole', ${role}))`

/**
 * Adds an invitation, or renews the pending one of the address to the resource: given fields replace its own. A missing
 * organization, folder or document is created as by a grant, unless `knownOnly`. Takes one row.
 */
export const ADD_INVITATION = setStatement<NewInvitation, NewInvitationOutcome>(
  'invitations.add',
  {
    organizationKey: 'uuid',
    kind: 'resource_kind',
    resourceId: 'text',
    knownOnly: 'boolean',
    address: 'text',
    email: 'text',
    invitee: 'text',
    accessRole: 'access_role',
    organizationName: 'text',
    folderName: 'text',
    documentName: 'text',
    inviter: 'text',
    invitedBy: 'jsonb',
    actor: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, o.added_at is not null as organization_added, r.resource_key, moved.id as migrated_to,
           ${accessInForce('item.organization_key')},
           case when moved.id is not null then 'document_was_migrated'
                when item.known_only and r.added_at is null then 'resource_does_not_exist'
                else 'ok' end as outcome
      from $input
      ${JOIN_NAMED}
  ),
  accepted as materialized (
    select n.*, i.invitation_id is not null as is_pending, coalesce(i.invitation_id, gen_random_uuid()) as invitation_id,
           i.ctid as pending_row, i.access_role as old_role, i.email as old_email, coalesce(n.access_role, i.access_role) as new_role
      from named n
      left join lateral (
        select i.ctid, i.invitation_id, i.access_role, i.email from invitations i
         where i.organization_key = n.organization_key and i.resource_key = n.resource_key and i.address = n.address
           and i.status = 'PENDING' limit 1
      ) i on true
     where n.outcome = 'ok'
  ),
  ${opening('accepted')},
  ${declareMissing('false')},
  renewed as (
    update invitations i
       set email = a.email, access_role = a.new_role, organization_name = coalesce(a.organization_name, i.organization_name),
           folder_name = coalesce(a.folder_name, i.folder_name), document_name = coalesce(a.document_name, i.document_name),
           inviter = case when a.invited_by is null then i.inviter else a.inviter end,
           invited_by = coalesce(a.invited_by, i.invited_by), updated_at = clock_timestamp()
      from accepted a
     where i.ctid = a.pending_row
  ),
  written as (
    insert into invitations (organization_key, invitation_id, resource_key, kind, invitee, address, email, access_role,
                             organization_name, folder_name, document_name, inviter, invited_by)
    select a.organization_key, a.invitation_id, coalesce(a.resource_key, m.resource_key, a.organization_key), a.kind, a.invitee,
           a.address, a.email, a.access_role, a.organization_name, a.folder_name, a.document_name, a.inviter, a.invited_by
      from accepted a
      full join missing m -- never a nested loop, as in STORE_EVENTS
        on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where coalesce(not a.is_pending, false)
  ),
  event as (${OPENING_EVENTS}
    union all
    select organization_key, 1, case when is_pending then 'invitation.renewed' else 'invitation.added' end, kind, resource_id,
           invitee, actor, case when is_pending then ${facts('old_role', 'old_email')} end, ${facts('new_role')}
      from accepted
  ),
  ${RECORD_EVENTS}
  select outcome, migrated_to as "migratedTo", access from named`,
)

export interface InvitationAnswer {
  organizationKey: string
  resourceKey: string
  resourceId: string
  address: string
  status: Exclude<InvitationStatus, 'PENDING'>
  /** The user who accepts, otherwise null. */
  userId: string | null
  actor: Actor
}

export interface AnsweredInvitation {
  /** Before the answer; any other than PENDING refuses it. */
  status: InvitationStatus
  accessRole: AccessRole | null
}

/**
 * Answers the pending invitation of an address to a resource. Returns it as it was, or if none is pending the latest one,
 * which it does not change; no row if there never was one. Takes one row.
 */
export const ANSWER_INVITATION = setStatement<InvitationAnswer, AnsweredInvitation>(
  'invitations.respond',
  {
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    resourceId: 'text',
    address: 'text',
    status: 'text',
    userId: 'text',
    actor: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, i.ctid as row, i.invitation_id, i.kind, i.invitee, i.email, i.access_role, i.status as old_status
      from $input
     cross join lateral (
        select i.ctid, i.invitation_id, i.kind, i.invitee, i.email, i.access_role, i.status from invitations i
         where i.organization_key = item.organization_key and i.resource_key = item.resource_key and i.address = item.address
         order by i.status = 'PENDING' desc, i.created_at desc, i.invitation_id desc limit 1
      ) i
  ),
  pending as (select * from named where old_status = 'PENDING'),
  answered as (
    update invitations i set status = p.status, invitee = coalesce(p.user_id, i.invitee), updated_at = clock_timestamp()
      from pending p where i.ctid = p.row
  ),
  event as (
    select organization_key, ord as position, 'invitation.' || lower(status) as type, kind as resource_kind, resource_id,
           coalesce(user_id, invitee) as user_id, actor, ${facts('access_role')} as before, null::jsonb as after
      from pending
  ),
  ${RECORD_EVENTS}
  select old_status as status, access_role as "accessRole" from named`,
)

/** Locks the profile of user `$2` until the transaction ends; returns its e-mail address, or no row without a profile. */
export const LOCK_EMAIL = statement<{ email: string | null }>(
  'invitations.lock-email',
  /* sql */ `
  select u.profile->>'email' as email from users u where u.api_key_id = $1 and u.user_id = $2 for no key update`,
)
