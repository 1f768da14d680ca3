/** The user groups with a grant on a resource, with changing and revoking it. */
import { Group, Menu, Text } from '@mantine/core'
import { IconUsersGroup } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { GrantsSection } from '../../components/access/grants-section.tsx'
import { RoleBadge } from '../../components/access/role-badge.tsx'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { actionsColumn, RowMenu } from '../../components/tables/row-menu.tsx'
import { MenuLink } from '../../links/links.tsx'
import { groupGrants } from '../../queries/access/access.ts'
import type { ScannedGrants } from '../../queries/access/use-scanned-grants.ts'
import { staticRows } from '../../queries/pages/rows.ts'
import { groupNamesQuery } from '../../queries/users/groups.ts'
import { shownName } from '../../shown-name.ts'
import type { Grant, Place } from './change/change.ts'
import type { PendingChange } from './change/change-dialog.tsx'
import { principalOf } from './change/principal.tsx'
import { GrantItems } from './grant-items.tsx'

interface GroupGrantsProps {
  place: Place
  scan: ScannedGrants
  onStart: (pending: PendingChange) => void
}

interface Row {
  groupId: string
  name: string | undefined
  grants: readonly Grant[]
}

export function GroupGrants({ place, scan, onStart }: GroupGrantsProps) {
  const { key, organizationId, resource } = place
  const found = [...groupGrants(scan.grants, resource)]
  const groupIds = found.map(([groupId]) => groupId)
  const { data: names } = useQuery(groupNamesQuery(key, organizationId, groupIds))
  if (found.length === 0) return null
  const rows = found.map(([groupId, grants]): Row => ({ groupId, name: names?.get(groupId), grants }))
  const columns: Column<Row>[] = [
    {
      key: 'group',
      header: 'Group',
      cell: ({ groupId, name }) => (
        <Text size="sm" component="div">
          <UserGroupLink organizationId={organizationId} groupId={groupId} name={name} />
        </Text>
      ),
    },
    { key: 'role', header: 'Role', width: '44%', cell: ({ grants }) => <Roles grants={grants} /> },
    actionsColumn((row) => <GroupMenu place={place} row={row} onStart={onStart} />),
  ]
  return (
    <GrantsSection
      title="Groups"
      label="Groups"
      level={2}
      intro="User groups with a grant here. It applies to users of the group who are members of the organization."
      scan={scan}
    >
      <DataTable
        label="Groups with a grant here"
        rows={staticRows(rows)}
        columns={columns}
        idOf={({ groupId }) => groupId}
        height="20rem"
        empty={null}
      />
    </GrantsSection>
  )
}

function Roles({ grants }: { grants: readonly Grant[] }) {
  return (
    <Group gap={6}>
      {grants.map(({ accessRole, expiresAt }) => (
        <RoleBadge
          key={expiresAt ?? 'standing'}
          role={accessRole}
          expiresAt={expiresAt === undefined ? undefined : expiresAt * 1000}
        />
      ))}
    </Group>
  )
}

function GroupMenu({ place, row: { groupId, name, grants }, onStart }: Omit<GroupGrantsProps, 'scan'> & { row: Row }) {
  return (
    <RowMenu of={`group ${shownName(name, groupId)}`}>
      <MenuLink
        Icon={IconUsersGroup}
        to="/keys/$apiKey/groups"
        params={{ apiKey: place.key.id }}
        search={{ organizationId: place.organizationId, groupId }}
      >
        View group
      </MenuLink>
      <Menu.Divider />
      <GrantItems principal={principalOf({ groupId })} name={name} grants={grants} onStart={onStart} />
    </RowMenu>
  )
}
