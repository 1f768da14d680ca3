/** The users of an API key, or of one organization. */

import { Checkbox, Group, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { OrderBy, UserRecord } from '#sdk/generated/operations.ts'
import { useRoleColumn } from '../../components/access/role-column.tsx'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { GiveAccess } from '../../components/people/give-access.tsx'
import { RemoveMember } from '../../components/people/remove-member.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { FILTER_WIDTH, OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { OthersInside } from '../../components/resources/others-inside.tsx'
import { DataTable } from '../../components/tables/data-table.tsx'
import { useSearchText } from '../../components/tables/use-search-text.ts'
import { useSorting } from '../../components/tables/use-sorting.ts'
import { ButtonLink } from '../../links/links.tsx'
import type { UsersSearch } from '../../links/searches.ts'
import { useAddress } from '../../links/use-address.ts'
import { type Rows, staticRows } from '../../queries/pages/rows.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { foundUsersQuery } from '../../queries/search.ts'
import { disabledUsersQuery, profilesQuery, usersQuery } from '../../queries/users/users.ts'
import { useKey } from '../../session/use-session.ts'
import { ProfileForm } from './profile-form.tsx'
import { ID_COLUMNS, userColumns } from './user-columns.tsx'
import { UserSearch } from './user-search.tsx'

export function UsersView() {
  const key = useKey()
  const [{ organizationId = '', disabled }, change] = useAddress<UsersSearch>(
    useSearch({ from: '/keys/$apiKey/users' }),
  )
  const navigate = useNavigate()
  const { typed, type, sought } = useSearchText()
  const [adding, { open: add, close: closeAdding }] = useDisclosure()
  const [given, give] = useState<UserRecord>()
  const [edited, edit] = useState<UserRecord>()
  const [removed, askToRemove] = useState<UserRecord>()
  const sorting = useSorting()
  const role = useRoleColumn('26%')
  const { rows, status, canSort } = useUsers(
    { organizationId, onlyDisabled: disabled === true, orderBy: sorting.orderBy },
    sought,
  )
  // The search does not return whole profiles, which the form needs.
  const isFound = organizationId === '' && typed.trim() !== ''
  const openUser = ({ userId }: UserRecord) =>
    void navigate({ to: '/keys/$apiKey/users/user', params: { apiKey: key.id }, search: { userId } })
  const addButton = (
    <PermittedButton
      needs={['users.add', 'profiles.set']}
      leftSection={<IconUserPlus size={16} aria-hidden />}
      onClick={add}
    >
      Add user
    </PermittedButton>
  )
  return (
    <Page
      title="Users"
      intro="The users of your application. Profiles belong to the whole API key, memberships to an organization."
      actions={addButton}
    >
      <Group gap="sm" align="end">
        <OrganizationSelect
          label="Organization"
          placeholder="All users with a profile"
          clearable
          w={FILTER_WIDTH}
          value={organizationId}
          onChange={(id) => change((search) => ({ ...search, organizationId: id }))}
        />
        <UserSearch typed={typed} onType={type} />
        <Checkbox
          label="Only disabled users"
          pb={8}
          checked={disabled === true}
          onChange={({ currentTarget: { checked } }) =>
            change(({ disabled, ...search }) => (checked ? { ...search, disabled: true } : search))
          }
        />
      </Group>
      <Text size="xs" c="dimmed" role="status" mih="1.2em">
        {status}
      </Text>
      {organizationId !== '' && (
        <OthersInside organizationId={organizationId} resource={{ type: 'organization', id: organizationId }} />
      )}
      <DataTable
        label="Users"
        rows={rows}
        columns={
          disabled && organizationId === ''
            ? ID_COLUMNS
            : userColumns({
                organizationId,
                role,
                onGive: give,
                onEdit: isFound ? openUser : edit,
                onRemove: askToRemove,
              })
        }
        idOf={({ userId }) => userId}
        sorting={canSort ? sorting : undefined}
        empty={
          <Paper withBorder>
            {typed !== '' ? (
              <NobodyFound id={typed.trim()} />
            ) : disabled ? (
              <NobodyDisabled />
            ) : (
              <NobodyYet action={addButton} everywhere={organizationId === ''} />
            )}
          </Paper>
        }
      />
      {given !== undefined && (
        <GiveAccess holder={given} name={given.name} organizationId={organizationId} onClose={() => give(undefined)} />
      )}
      {adding && <ProfileForm organizationId={organizationId} onClose={closeAdding} />}
      {edited !== undefined && (
        <ProfileForm user={edited} organizationId={organizationId} onClose={() => edit(undefined)} />
      )}
      {removed !== undefined && (
        <RemoveMember organizationId={organizationId} user={removed} onClose={() => askToRemove(undefined)} />
      )}
    </Page>
  )
}

/** The server searches the users of an organization, and all profiles. Disabled users, who may have none, are filtered here. */
function useUsers(
  { organizationId, onlyDisabled, orderBy }: { organizationId: string; onlyDisabled: boolean; orderBy: OrderBy },
  searchKey: string,
): { rows: Rows<UserRecord>; status: string; canSort?: true } {
  const key = useKey()
  const inOrganization = organizationId !== ''
  const members = useRows({
    ...usersQuery(key, {
      organizationId,
      ...(searchKey === '' ? {} : { searchKey }),
      ...(onlyDisabled ? { disabled: true } : {}),
    }),
    enabled: inOrganization,
  })
  const isSearching = !inOrganization && !onlyDisabled && searchKey !== ''
  const found = useRows({ ...foundUsersQuery(key, searchKey), enabled: isSearching })
  const profiles = useRows<UserRecord>({
    ...(onlyDisabled ? disabledUsersQuery(key) : profilesQuery(key, orderBy)),
    enabled: !inOrganization && !isSearching,
  })
  if (inOrganization) return { rows: members, status: 'Members are listed in the order of their ids.' }
  if (isSearching) return { rows: found, status: 'Searched all profiles, best match first.' }
  if (!onlyDisabled) return { rows: profiles, status: '', canSort: true }
  if (searchKey === '') return { rows: profiles, status: 'With and without a profile.' }
  const text = searchKey.toLowerCase()
  const loaded = profiles.loaded
  const matching = loaded.filter(({ userId }) => userId.toLowerCase().includes(text))
  const status = `${matching.length.toLocaleString('en')} of ${loaded.length.toLocaleString('en')} loaded users match.`
  return { rows: staticRows(matching, { error: profiles.error, isFetching: profiles.isLoading }), status }
}

/** `everywhere`: in the list of all profiles, which users with only grants are not in. */
function NobodyYet({ action, everywhere }: { action: React.ReactNode; everywhere: boolean }) {
  return (
    <EmptyState title={everywhere ? 'No users with a profile yet' : 'No members yet'} action={action}>
      Add the first one here, or from your back end with <code>users.add</code>. Users are also added when they sign in,
      by <code>user-tokens.generate</code>.
      {everywhere && ' Users with a grant but no profile are on the access page of what they have access to.'}
    </EmptyState>
  )
}

function NobodyDisabled() {
  return (
    <EmptyState title="No disabled users">
      Disabled users are denied everything in the data set of this key. You can disable a user on the page of the user.
    </EmptyState>
  )
}

function NobodyFound({ id }: { id: string }) {
  return (
    <EmptyState
      title="No matching users"
      action={
        <ButtonLink
          variant="default"
          to="/keys/$apiKey/users/user"
          params={{ apiKey: useKey().id }}
          search={{ userId: id }}
        >
          View user with this id
        </ButtonLink>
      }
    >
      Users who have grants but no profile can only be found by the full id.
    </EmptyState>
  )
}
