/** The SQL statements that list and count invitations. */

import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import type { InvitationStatus } from '#contract/resources/invitations.ts'
import { statement } from '#platform/db/statement.ts'
import { withinPage } from '#tenancy/page-bytes.ts'

export interface InvitationRow {
  invitationId: string
  kind: ResourceType
  /** The current id. */
  resourceId: string
  invitee: string
  email: string
  status: InvitationStatus
  accessRole: AccessRole | null
  organizationName: string | null
  folderName: string | null
  documentName: string | null
  invitedBy: Record<string, unknown> | null
  createdAt: Date
  updatedAt: Date
}

/** `position` is `createdAt` to the microsecond: with the id it is the cursor of the list. */
export type ListedInvitationRow = InvitationRow & { position: string }

/** The columns of `InvitationRow`, of an invitation `i` to the resource `r`. */
export const INVITATION = /* sql */ `
         i.invitation_id as "invitationId", i.kind, r.id as "resourceId", i.invitee, i.email, i.status,
         i.access_role as "accessRole", i.organization_name as "organizationName", i.folder_name as "folderName",
         i.document_name as "documentName", i.invited_by as "invitedBy", i.created_at as "createdAt",
         i.updated_at as "updatedAt"`

/** A page of an organization's invitations, newest first: at most `$4` after position `$2` and id `$3`. */
const page = (where: string) =>
  withinPage(
    /* sql */ `
  select ${INVITATION}, i.created_at::text as position
    from (select * from invitations
           where organization_key = $1 and ${where} and (created_at, invitation_id) < ($2::timestamptz, $3::uuid)
           order by created_at desc, invitation_id desc limit $4::int) i
   cross join lateral (
      select r.id from resources r where r.organization_key = i.organization_key and r.resource_key = i.resource_key limit 1
    ) r
   order by i.created_at desc, i.invitation_id desc`,
    '"invitedBy"',
  )

export const LIST_INVITATIONS = statement<ListedInvitationRow>('invitations.list', page('true'))

export const LIST_PENDING_INVITATIONS = statement<ListedInvitationRow>(
  'invitations.list-pending',
  page(`status = 'PENDING'`),
)

/** Invitations to the address `$5`, with status `$6`, and to resources of kind `$7`; null: without that filter. */
export const LIST_INVITATIONS_OF_ADDRESS = statement<ListedInvitationRow>(
  'invitations.list-of-address',
  page(`address = $5 and ($6::text is null or status = $6) and ($7::resource_kind is null or kind = $7)`),
)

/** Counts the pending invitations to resources of kind `$2`. */
export const COUNT_PENDING_INVITATIONS = statement<{ count: number }>(
  'invitations.count-pending',
  `select count(*) as count from invitations where organization_key = $1 and kind = $2::resource_kind and status = 'PENDING'`,
)
