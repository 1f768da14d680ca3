/** Confirms the removal of a user from an organization, says what the user loses, and offers to undo it. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { heldInQuery } from '../queries/user-data.ts'
import { putBack, takeOut } from '../queries/users.ts'
import { useKey } from '../session/use-session.ts'
import { ConfirmByName } from './confirm-by-name.tsx'
import { Id } from './id.tsx'
import { notifyWithUndo } from './undo.tsx'

interface TakeOutProps {
  organizationId: string
  userId: string
  onClose: () => void
}

const DONE = 'The user was removed from the organization.'

export function TakeOut({ organizationId, userId, onClose }: TakeOutProps) {
  const key = useKey()
  const restore = useMutation(putBack(key))
  const remove = useMutation({
    ...takeOut(key),
    onSuccess: (held) => {
      if (held.whole) notifyWithUndo(DONE, () => restore.mutateAsync({ organizationId, userId, held }))
      else notifications.show({ message: DONE, role: 'status' })
      onClose()
    },
  })
  return (
    <ConfirmByName
      title="Remove the user from the organization"
      name={userId}
      action="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ organizationId, userId })}
      onClose={onClose}
    >
      <WhatGoes organizationId={organizationId} userId={userId} />
    </ConfirmByName>
  )
}

const counted = (count: number, one: string): string => `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`

function WhatGoes({ organizationId, userId }: Pick<TakeOutProps, 'organizationId' | 'userId'>) {
  const { data: held, error } = useQuery(heldInQuery(useKey(), organizationId, userId))
  return (
    <>
      <Text size="sm" role="status">
        {held !== undefined ? (
          <strong>
            {held.whole ? '' : 'At least '}
            {counted(held.grants.length, 'grant')} and {counted(held.groupIds.length, 'group membership')} will be
            removed.
          </strong>
        ) : error === null ? (
          'Counting grants and group memberships…'
        ) : (
          'The grants and group memberships could not be counted.'
        )}
      </Text>
      Every grant in <Id copy={false}>{organizationId}</Id> is revoked: on the organization, its folders and its
      documents. The profile is kept{held?.whole === false ? '. This cannot be undone.' : '.'}
    </>
  )
}
