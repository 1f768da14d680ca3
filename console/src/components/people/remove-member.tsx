/** Confirms the removal of a user from an organization, says what the user loses, and offers to undo it. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { plural } from '../../plural.ts'
import { deletionOf } from '../../queries/pages/deletion.ts'
import { placeKey, resourceNamesQuery } from '../../queries/resources/resource-names.ts'
import { userAccessQuery } from '../../queries/users/user-data.ts'
import { removeMember, restoreMember } from '../../queries/users/users.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { Note } from '../feedback/note.tsx'
import { notifyWithUndo } from '../feedback/undo.tsx'
import { ConfirmByName } from '../forms/confirm-by-name.tsx'
import { NamedId } from './named-id.tsx'

interface RemoveMemberProps {
  organizationId: string
  /** A user without a name is confirmed by the id. */
  user: { userId: string; name?: string | undefined }
  onClose: () => void
}

export function RemoveMember({ organizationId, user, onClose }: RemoveMemberProps) {
  const { userId, name } = user
  const key = useKey()
  const restore = useMutation(restoreMember(key))
  const remove = useMutation({
    ...removeMember(key),
    onSuccess: (access) => {
      const message = deletionOf('The user', access, 'removed from the organization')
      if (access.isComplete && !access.wasGone)
        notifyWithUndo(message, () => restore.mutateAsync({ organizationId, userId, access }))
      else notifications.show({ message, role: 'status' })
      onClose()
    },
  })
  return (
    <ConfirmByName
      needs="users.delete"
      title="Remove the user from the organization"
      name={shownName(name, userId)}
      action="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ organizationId, userId })}
      onClose={onClose}
    >
      <RemovalSummary organizationId={organizationId} user={user} />
    </ConfirmByName>
  )
}

function RemovalSummary({ organizationId, user: { userId, name } }: Omit<RemoveMemberProps, 'onClose'>) {
  const key = useKey()
  const { data: access, error } = useQuery(userAccessQuery(key, organizationId, userId))
  const organization = { type: 'organization' as const, id: organizationId }
  const { data: names } = useQuery(resourceNamesQuery(key, organizationId, [organization]))
  return (
    <>
      <Text size="sm" role="status" component="div">
        {access !== undefined ? (
          <Note
            tone="danger"
            title={`${access.isComplete ? '' : 'At least '}${plural(access.grants.length, 'grant')} and ${plural(access.groupIds.length, 'group membership')} will be removed.`}
          />
        ) : error === null ? (
          'Counting grants and group memberships…'
        ) : (
          'The grants and group memberships could not be counted.'
        )}
      </Text>
      Every grant of <NamedId id={userId} name={name} /> in{' '}
      <NamedId id={organizationId} name={names?.get(placeKey(organization))} /> is revoked: on the organization, its
      folders and its documents. The profile is kept{access?.isComplete === false ? '. This cannot be undone.' : '.'}
    </>
  )
}
