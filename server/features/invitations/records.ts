/** Invitations in the form of the API. */
import type { Invitation } from '#contract/resources/invitations.ts'
import type { InvitationRow } from './list-statements.ts'
import { TYPE_OF } from './target.ts'

const given = <Fields extends Record<string, unknown>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>
  }

export function recordOf(organizationId: string, row: InvitationRow): Invitation {
  const { invitationId, kind, resourceId, invitee, email, status, createdAt, updatedAt } = row
  const { accessRole, organizationName, folderName, documentName, invitedBy } = row
  return {
    invitationId,
    email,
    type: TYPE_OF[kind],
    status,
    organizationId,
    ...(kind === 'document' ? { documentId: resourceId } : {}),
    ...(kind === 'folder' ? { folderId: resourceId } : {}),
    ...given({ organizationName, documentName, folderName, accessRole, invitedBy }),
    ...(status === 'ACCEPTED' ? { userId: invitee } : {}),
    createdAt: createdAt.getTime(),
    lastUpdated: updatedAt.getTime(),
  }
}
