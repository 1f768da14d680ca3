/** The columns of the table of groups. */
import { IconPencil, IconTrash, IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { UserGroupRecord } from '#sdk/generated/operations.ts'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import type { Column } from '../../components/tables/data-table.tsx'
import { actionsColumn, RowMenu } from '../../components/tables/row-menu.tsx'
import { Id } from '../../components/values/id.tsx'
import { LongName } from '../../components/values/long-name.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { memberCountQuery } from '../../queries/users/groups.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'

interface GroupColumns {
  organizationId: string
  onGive: (group: UserGroupRecord) => void
  onRename: (group: UserGroupRecord) => void
  onDelete: (group: UserGroupRecord) => void
}

export const groupColumns = ({
  organizationId,
  onGive,
  onRename,
  onDelete,
}: GroupColumns): Column<UserGroupRecord>[] => [
  {
    key: 'name',
    header: 'Name',
    sortedBy: 'name',
    cell: (group) => <GroupLink organizationId={organizationId} group={group} />,
  },
  { key: 'id', header: 'Id', sortedBy: 'id', width: '37%', wideOnly: true, cell: ({ groupId }) => <Id>{groupId}</Id> },
  {
    key: 'members',
    header: 'Members',
    width: 92,
    align: 'end',
    cell: ({ groupId }) => <MemberCount organizationId={organizationId} groupId={groupId} />,
  },
  actionsColumn((group) => (
    <RowMenu of={shownName(group.groupName, group.groupId)}>
      <PermittedItem needs="grants.add" Icon={IconUserPlus} onClick={() => onGive(group)}>
        Give access…
      </PermittedItem>
      <PermittedItem needs="user-groups.update" Icon={IconPencil} onClick={() => onRename(group)}>
        Rename
      </PermittedItem>
      <PermittedItem
        needs="user-groups.delete"
        color="var(--mantine-color-error)"
        Icon={IconTrash}
        onClick={() => onDelete(group)}
      >
        Delete…
      </PermittedItem>
    </RowMenu>
  )),
]

/** Counted for the groups that are on the screen, and not beyond a page of members. */
function MemberCount({ organizationId, groupId }: { organizationId: string; groupId: string }) {
  const { data } = useQuery(memberCountQuery(useKey(), organizationId, groupId))
  return <>{data === undefined ? '…' : data.hasMore ? `${data.count}+` : data.count}</>
}

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
    >
      <LongName>{shownName(groupName, groupId)}</LongName>
    </AnchorLink>
  )
}
