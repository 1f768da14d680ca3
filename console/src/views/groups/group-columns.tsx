/** The columns of the table of groups. */
import { ActionIcon, Menu, VisuallyHidden } from '@mantine/core'
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import { useSearch } from '@tanstack/react-router'
import type { UserGroupRecord } from '#sdk/generated/operations.ts'
import type { Column } from '../../components/tables/data-table.tsx'
import { Id } from '../../components/values/id.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { useKey } from '../../session/use-session.ts'

interface GroupColumns {
  organizationId: string
  onRename: (group: UserGroupRecord) => void
  onDelete: (group: UserGroupRecord) => void
}

export const groupColumns = ({ organizationId, onRename, onDelete }: GroupColumns): Column<UserGroupRecord>[] => [
  {
    key: 'name',
    header: 'Name',
    sortedBy: 'name',
    cell: (group) => <GroupLink organizationId={organizationId} group={group} />,
  },
  { key: 'id', header: 'Id', sortedBy: 'id', wideOnly: true, cell: ({ groupId }) => <Id>{groupId}</Id> },
  {
    key: 'actions',
    header: <VisuallyHidden>Actions</VisuallyHidden>,
    width: 56,
    align: 'end',
    cell: (group) => (
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${group.groupId}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onRename(group)}>
            Rename
          </Menu.Item>
          <Menu.Item
            color="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => onDelete(group)}
          >
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    ),
  },
]

function GroupLink({ organizationId, group }: { organizationId: string; group: UserGroupRecord }) {
  const { groupId, groupName } = group
  const { orderBy } = useSearch({ from: '/keys/$apiKey/groups' })
  return (
    <AnchorLink
      to="/keys/$apiKey/groups"
      params={{ apiKey: useKey().id }}
      search={{ organizationId, groupId, ...(orderBy && { orderBy }) }}
      activeOptions={{ includeSearch: true }}
      activeProps={{ fw: 600, 'aria-current': 'true' }}
      size="sm"
      display="block"
      truncate
    >
      <bdi>{groupName ?? groupId}</bdi>
    </AnchorLink>
  )
}
