/** The members of a group, with adding and removing. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus, IconUsersPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { UserGroupRecord, UserRecord } from '#sdk/generated/operations.ts'
import { useRoleColumn } from '../../components/access/role-column.tsx'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { selectedRows } from '../../components/tables/selection.tsx'
import { Id } from '../../components/values/id.tsx'
import { plural } from '../../plural.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { addUserGroupUsers, deleteUserGroupUsers } from '../../queries/users/groups.ts'
import { usersQuery } from '../../queries/users/users.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { NameOfUser } from '../users/user-columns.tsx'
import { AddMembers } from './add-members.tsx'

interface MembersProps {
  organizationId: string
  group: UserGroupRecord
  /** Asks for the resource to which the group should get access. */
  onGive: () => void
}

const COLUMNS: Column<UserRecord>[] = [
  { key: 'name', header: 'Name', cell: (user) => <NameOfUser user={user} /> },
  { key: 'id', header: 'Id', width: '26%', wideOnly: true, cell: ({ userId }) => <Id>{userId}</Id> },
]

const NO_USERS: ReadonlyMap<string, UserRecord> = new Map()

const idOf = ({ userId }: UserRecord): string => userId

export function Members({ organizationId, group, onGive }: MembersProps) {
  const key = useKey()
  const { groupId, groupName } = group
  const inGroup = { organizationId, organizationUserGroupId: groupId }
  const role = useRoleColumn(190)
  const [selected, select] = useState<ReadonlyMap<string, UserRecord>>(NO_USERS)
  const [adding, { open: add, close: closeAdding }] = useDisclosure()
  const members = useRows(usersQuery(key, { organizationId, organizationUserGroupIds: [groupId] }))
  const restore = useMutation(addUserGroupUsers(key))
  const remove = useMutation(deleteUserGroupUsers(key))
  const selectedUsers = selectedRows(selected, members, idOf)

  function removeSelected(): void {
    const userIds = selectedUsers.map(idOf)
    const onSuccess = () => {
      select(NO_USERS)
      notifyWithUndo(`${plural(userIds.length, 'user')} removed from the group.`, () =>
        restore.mutateAsync({ ...inGroup, userIds }),
      )
    }
    remove.mutate({ ...inGroup, userIds }, { onSuccess, onError: notifyFailure })
  }
  const addButton = (
    <PermittedButton
      needs="user-group-users.add"
      size="compact-sm"
      variant="default"
      leftSection={<IconUsersPlus size={16} aria-hidden />}
      onClick={add}
    >
      Add members
    </PermittedButton>
  )
  return (
    <Stack gap="xs" component="section" aria-label="Members of the group">
      <Group justify="space-between">
        <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{shownName(groupName, groupId)}</bdi>
        </Title>
        <Group gap="xs">
          {selectedUsers.length > 0 && (
            <PermittedButton
              needs="user-group-users.delete"
              size="compact-sm"
              color="red"
              variant="outline"
              loading={remove.isPending}
              onClick={removeSelected}
            >
              Remove {plural(selectedUsers.length, 'user')}
            </PermittedButton>
          )}
          {addButton}
          <PermittedButton
            needs="grants.add"
            size="compact-sm"
            variant="default"
            leftSection={<IconUserPlus size={16} aria-hidden />}
            onClick={onGive}
          >
            Give access
          </PermittedButton>
        </Group>
      </Group>
      {selectedUsers.length > 0 && (
        <Text size="sm" c="dimmed">
          Users who are removed from the group lose the access that its grants give them.
        </Text>
      )}
      <DataTable
        label="Members of the group"
        rows={members}
        columns={[...COLUMNS, role]}
        idOf={idOf}
        nameOf={({ userId, name }) => shownName(name, userId)}
        selection={{ rows: selected, onChange: select }}
        empty={
          <Paper withBorder>
            <EmptyState title="No members yet" action={addButton}>
              Add members of the organization to see them here. The grants of the group apply to them.
            </EmptyState>
          </Paper>
        }
      />
      {adding && <AddMembers organizationId={organizationId} group={group} onClose={closeAdding} />}
    </Stack>
  )
}
