/** The columns of the table of users. */
import { ActionIcon, Menu, Text, VisuallyHidden } from '@mantine/core'
import { IconDots, IconPencil, IconUserMinus } from '@tabler/icons-react'
import type { UserRecord } from '#sdk/generated/operations.ts'
import type { Column } from '../../components/data-table.tsx'
import { Id } from '../../components/id.tsx'
import { RoleBadge } from '../../components/role-badge.tsx'
import { useKey } from '../../session/use-session.ts'
import { AnchorLink } from '../../shell/links.tsx'

interface UserColumns {
  /** Empty for all users of the key, who have no role without an organization. */
  organizationId: string
  onEdit: (user: UserRecord) => void
  onRemove: (user: UserRecord) => void
}

export function userColumns({ organizationId, onEdit, onRemove }: UserColumns): Column<UserRecord>[] {
  const role: Column<UserRecord> = {
    key: 'role',
    header: 'Role',
    width: 190,
    cell: ({ accessRole, expiresAt }) => (
      <RoleBadge role={accessRole} expiresAt={expiresAt === undefined ? undefined : expiresAt * 1_000} />
    ),
  }
  return [
    { key: 'name', header: 'Name', cell: (user) => <UserLink user={user} /> },
    { key: 'id', header: 'Id', wideOnly: true, cell: ({ userId }) => <Id>{userId}</Id> },
    {
      key: 'email',
      header: 'E-mail address',
      wideOnly: true,
      cell: ({ email }) => <bdi title={email}>{email ?? '–'}</bdi>,
    },
    ...(organizationId === '' ? [] : [role]),
    {
      key: 'actions',
      header: <VisuallyHidden>Actions</VisuallyHidden>,
      width: 56,
      align: 'end',
      cell: (user) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.userId}`}>
              <IconDots size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onEdit(user)}>
              Edit profile
            </Menu.Item>
            {organizationId !== '' && (
              <Menu.Item
                color="var(--mantine-color-error)"
                leftSection={<IconUserMinus size={16} aria-hidden />}
                onClick={() => onRemove(user)}
              >
                Remove from organization…
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ]
}

export function UserLink({ user: { userId, name } }: { user: Pick<UserRecord, 'userId' | 'name'> }) {
  return (
    <AnchorLink
      to="/keys/$apiKey/users/user"
      params={{ apiKey: useKey().id }}
      search={{ userId }}
      size="sm"
      display="block"
      truncate
    >
      {name === undefined || name === '' ? (
        <bdi>{userId}</bdi>
      ) : (
        <Text span inherit>
          <bdi>{name}</bdi>
        </Text>
      )}
    </AnchorLink>
  )
}
