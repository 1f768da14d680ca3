/** The dialog that adds members of the organization to a group; the server searches them. */
import { Button, Group, Modal, MultiSelect, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { plural } from '../../plural.ts'
import { pageQuery } from '../../queries/pages/pages.ts'
import { addUserGroupUsers, deleteUserGroupUsers } from '../../queries/users/groups.ts'
import { usersQuery } from '../../queries/users/users.ts'
import { useKey } from '../../session/use-session.ts'

interface AddMembersProps {
  organizationId: string
  groupId: string
  onClose: () => void
}

const DEBOUNCE_MS = 200
const FOUND_MAX = 20

export function AddMembers({ organizationId, groupId, onClose }: AddMembersProps) {
  const key = useKey()
  const [userIds, choose] = useState<string[]>([])
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), DEBOUNCE_MS)
  const { data: { rows: found = [] } = {} } = useQuery({
    ...pageQuery(usersQuery(key, { organizationId, pageSize: FOUND_MAX, ...(text === '' ? {} : { searchKey: text }) })),
    placeholderData: keepPreviousData,
  })
  const names = new Map(found.map(({ userId, name }) => [userId, name]))
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
    <Modal opened onClose={onClose} title="Add members to group">
      <Stack gap="sm">
        <MultiSelect
          label="Members of the organization"
          description="Search by id, name or e-mail address. The grants of the group will apply to them."
          data-autofocus
          searchable
          hidePickedOptions
          spellCheck={false}
          maxDropdownHeight={260}
          nothingFoundMessage="No matching members"
          value={userIds}
          onChange={choose}
          searchValue={typed}
          onSearchChange={setTyped}
          // The server has already filtered the options.
          filter={({ options }) => options}
          data={[...new Set([...userIds, ...names.keys()])]}
          renderOption={({ option }) => (
            <span>
              <bdi>{names.get(option.value) ?? ''}</bdi> <bdi>{option.value}</bdi>
            </span>
          )}
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
            onClick={() => add.mutate({ ...inGroup, userIds })}
          >
            Add {userIds.length === 0 ? '' : userIds.length.toLocaleString()}
          </PermittedButton>
        </Group>
      </Stack>
    </Modal>
  )
}
