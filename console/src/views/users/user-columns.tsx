/** The columns of the table of users. */
import { Group } from '@mantine/core'
import { IconPencil, IconUserMinus, IconUserPlus } from '@tabler/icons-react'
import type { UserRecord } from '#sdk/generated/operations.ts'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import type { Column } from '../../components/tables/data-table.tsx'
import { actionsColumn, RowMenu } from '../../components/tables/row-menu.tsx'
import { Breakable } from '../../components/values/breakable.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { Id } from '../../components/values/id.tsx'
import { LongName } from '../../components/values/long-name.tsx'
import { EnabledBadge } from '../../components/values/state-badge.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'

interface UserColumns {
  /** Empty for all users of the key, who have no role without an organization. */
  organizationId: string
  role: Column<UserRecord>
  onGive: (user: UserRecord) => void
  onEdit: (user: UserRecord) => void
  onRemove: (user: UserRecord) => void
}

/** The columns of users whose profiles are not loaded. */
export const ID_COLUMNS: readonly Column<UserRecord>[] = [
  { key: 'name', header: 'Name', sortedBy: 'name', cell: (user) => <NameOfUser user={user} /> },
  { key: 'id', header: 'Id', sortedBy: 'id', width: '20%', wideOnly: true, cell: ({ userId }) => <Id>{userId}</Id> },
]

export function userColumns({ organizationId, role, onGive, onEdit, onRemove }: UserColumns): Column<UserRecord>[] {
  return [
    ...ID_COLUMNS,
    {
      key: 'email',
      header: 'E-mail address',
      width: '30%',
      wideOnly: true,
      cell: ({ email }) => (
        <ClampedText size="sm" lh={1.2} lines={2}>
          <bdi>
            <Breakable>{email ?? '–'}</Breakable>
          </bdi>
        </ClampedText>
      ),
    },
    ...(organizationId === '' ? [] : [role]),
    actionsColumn((user) => (
      <RowMenu of={shownName(user.name, user.userId)}>
        <PermittedItem needs="grants.add" Icon={IconUserPlus} onClick={() => onGive(user)}>
          Give access…
        </PermittedItem>
        <PermittedItem needs="profiles.set" Icon={IconPencil} onClick={() => onEdit(user)}>
          Edit profile
        </PermittedItem>
        {organizationId !== '' && (
          <PermittedItem
            needs="users.delete"
            color="var(--mantine-color-error)"
            Icon={IconUserMinus}
            onClick={() => onRemove(user)}
          >
            Remove from organization…
          </PermittedItem>
        )}
      </RowMenu>
    )),
  ]
}

/** The name with a link to the page of the user, and whether the user is disabled. */
export function NameOfUser({ user }: { user: UserRecord }) {
  return (
    <Group gap={6} wrap="nowrap">
      <UserLink user={user} />
      {user.disabled && <EnabledBadge disabled />}
    </Group>
  )
}

function UserLink({ user: { userId, name } }: { user: UserRecord }) {
  return (
    <AnchorLink to="/keys/$apiKey/users/user" params={{ apiKey: useKey().id }} search={{ userId }} size="sm" miw={0}>
      <LongName>{shownName(name, userId)}</LongName>
    </AnchorLink>
  )
}
