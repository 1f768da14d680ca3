/** The dialog that adds members of the organization to a group; the server searches them. */
import { Button, Group, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UserGroupRecord } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { Dialog } from '../../components/forms/dialog.tsx'
import { useTyped } from '../../components/forms/use-typed.ts'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { ManyPicker } from '../../components/search/many-picker.tsx'
import { DEBOUNCE_MS } from '../../components/search/use-found.ts'
import { plural } from '../../plural.ts'
import { addUserGroupUsers, candidatesQuery, deleteUserGroupUsers } from '../../queries/users/groups.ts'
import { useKey } from '../../session/use-session.ts'

interface AddMembersProps {
  organizationId: string
  group: UserGroupRecord
  onClose: () => void
}

export function AddMembers({ organizationId, group, onClose }: AddMembersProps) {
  const key = useKey()
  const { groupId, groupName = groupId } = group
  const dialog = useTyped()
  const [userIds, choose] = useState<string[]>([])
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const [query] = useDebouncedValue(text, DEBOUNCE_MS)
  const { data, error, isLoading, isPlaceholderData } = useQuery(candidatesQuery(key, organizationId, groupId, query))
  const search = {
    found: (data?.members ?? []).map(({ userId, name }) => ({
      ...{ kind: 'user' as const, id: userId },
      ...(name !== undefined && { name }),
      ...(data?.areNear && { near: true as const }),
    })),
    isPending: query !== text || isLoading || isPlaceholderData,
    error,
  }
  const already = data?.inGroup.map(({ userId, name = userId }) => name) ?? []
  const inGroup = { organizationId, organizationUserGroupId: groupId }
  const remove = useMutation(deleteUserGroupUsers(key))
  const add = useMutation({
    ...addUserGroupUsers(key),
    onSuccess: (added) => {
      const said = `${plural(added.length, 'user')} added to the group.`
      if (added.length === 0) notifications.show({ message: 'All of them were already in the group.', role: 'status' })
      else notifyWithUndo(said, () => remove.mutateAsync({ ...inGroup, userIds: added }))
      onClose()
    },
  })
  return (
    <Dialog typed={dialog} onClose={onClose} title={`Add members to ${groupName}`}>
      <Stack gap="sm">
        <ManyPicker
          label="Members of the organization"
          description="Search by id, name or e-mail address. The grants of the group will apply to them."
          data-autofocus
          kind="user"
          value={userIds}
          onChange={choose}
          typed={typed}
          onType={setTyped}
          search={search}
          nothing={already.length === 0 ? undefined : `Already in the group: ${already.join(', ')}`}
        />
        {add.error !== null && <Failure error={add.error} />}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <PermittedButton
            needs="user-group-users.add"
            disabled={userIds.length === 0}
            loading={add.isPending}
            onClick={() => {
              dialog.settle()
              add.mutate({ ...inGroup, userIds })
            }}
          >
            Add {userIds.length === 0 ? '' : userIds.length.toLocaleString('en')}
          </PermittedButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
