/** The invitations of an organization, and mutations of them. */
import { mutationOptions } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import type { AddInvitationData, Invitation } from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf, refetchingAll } from '../keys/keys.ts'
import { pagesQuery } from '../pages/pages.ts'

export const invitationsQuery = (key: Key, organizationId: string, isPendingUsersOnly: boolean) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'invitations', organizationId, { isPendingUsersOnly }),
    method: key.client.invitations.get,
    data: { organizationId, isPendingUsersOnly },
    rowsOf: (found) => found,
  })

/** Invites a person, or sends a pending invitation again. */
export const addInvitation = (key: Key) =>
  mutationOptions({
    mutationFn: (data: AddInvitationData) => key.client.invitations.add(data),
    meta: refetchingAll(key),
  })

/** Returns the fields that name an invitation in calls. */
export const nameOfInvitation = ({ email, organizationId, type, documentId, folderId }: Invitation) => ({
  email,
  organizationId,
  type,
  ...(documentId === undefined ? {} : { documentId }),
  ...(folderId === undefined ? {} : { folderId }),
})

const NOT_PENDING: readonly CommonholdError['reason'][] = ['invitation_not_pending', 'invitation_does_not_exist']

/** An invitation that was answered or withdrawn meanwhile stays as it is. */
export const withdrawInvitation = (key: Key) =>
  mutationOptions({
    mutationFn: async (invitation: Invitation) => {
      try {
        await key.client.invitations.respond({ ...nameOfInvitation(invitation), status: 'WITHDRAWN' })
        return { wasPending: true }
      } catch (error) {
        if (error instanceof CommonholdError && NOT_PENDING.includes(error.reason)) return { wasPending: false }
        throw error
      }
    },
    meta: refetchingAll(key),
  })

/** Returns what an invitation is to, with its name if there is one. */
export function invitedTo({
  organizationId,
  documentId,
  folderId,
  organizationName,
  documentName,
  folderName,
}: Invitation) {
  const named = (name: string | undefined) => (name === undefined ? {} : { name })
  if (documentId !== undefined) return { type: 'document' as const, id: documentId, ...named(documentName) }
  if (folderId !== undefined) return { type: 'folder' as const, id: folderId, ...named(folderName) }
  return { type: 'organization' as const, id: organizationId, ...named(organizationName) }
}
