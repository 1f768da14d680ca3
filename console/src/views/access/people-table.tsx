/** The users with access to a resource: role, source and expiry. */
import { Group, Paper, SegmentedControl, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { AccessRole, ExplainedResource } from '#sdk/generated/operations.ts'
import { ROLE_COLUMN_PX, RoleBadge } from '../../components/access/role-badge.tsx'
import { useAccessRoles } from '../../components/access/roles.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { PersonLink } from '../../components/people/person.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { actionsColumn } from '../../components/tables/row-menu.tsx'
import { SearchField } from '../../components/tables/search-field.tsx'
import type { Selection } from '../../components/tables/selection.tsx'
import { useSearchText } from '../../components/tables/use-search-text.ts'
import { Timestamp } from '../../components/values/timestamp.tsx'
import type { PermittedUser } from '../../queries/access/people.ts'
import { type Rows, staticRows } from '../../queries/pages/rows.ts'
import { isSame, searchOf } from '../../resource.ts'
import { shownName } from '../../shown-name.ts'
import type { Place } from './change/change.ts'
import { EndLine, remaining, Source, SourceLine } from './people-source.tsx'

type RoleFilter = 'all' | AccessRole

const FILTERS: readonly { value: RoleFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'editor', label: 'Editors' },
  { value: 'commenter', label: 'Commenters' },
  { value: 'viewer', label: 'Viewers' },
]

interface PeopleTableProps {
  place: Place
  chain: readonly Pick<ExplainedResource, 'type' | 'id' | 'name' | 'disabled'>[]
  people: Rows<PermittedUser>
  selection: Selection<PermittedUser>
  actions: (user: PermittedUser) => ReactNode
  giveButton: ReactNode
}

/** The API cannot search users with access, so the filters scan at most this many. */
const SCAN_MAX = 5_000

export function PeopleTable({ place, chain, people, selection, actions, giveButton }: PeopleTableProps) {
  const roles = useAccessRoles()
  const [role, setRole] = useState<RoleFilter>('all')
  const { typed, type, sought } = useSearchText()
  const searchText = sought.toLowerCase()
  const about = searchOf(place.organizationId, place.resource)
  const isDisabled = chain.some(({ disabled }) => disabled)
  const isFiltered = role !== 'all' || searchText !== ''
  const { request, loaded, count, hasMore } = people
  useEffect(() => {
    if (isFiltered) request(0, SCAN_MAX - 1)
  }, [isFiltered, request])
  const matching = useMemo(
    () =>
      loaded.filter(
        ({ accessRole, userId, name = '', email = '' }) =>
          (role === 'all' || accessRole === role) &&
          [userId, name, email].some((field) => field.toLowerCase().includes(searchText)),
      ),
    [loaded, role, searchText],
  )
  const isIncomplete = isFiltered && (hasMore || loaded.length < count) && !people.isLoading
  const named = (giving: Place['resource']) => chain.find((entry) => isSame(entry, giving)) ?? giving
  const isWide = useMediaQuery('(min-width: 62em)')
  const isRoomy = useMediaQuery('(min-width: 75em)')
  const columns: Column<PermittedUser>[] = [
    {
      key: 'user',
      header: 'User',
      cell: (user) => (
        <>
          <PersonLink userId={user.userId} name={user.name} about={about} />
          {isWide === false && <SourceLine user={user} place={place} name={named} />}
        </>
      ),
    },
    {
      key: 'role',
      header: 'Role',
      width: isRoomy !== false ? '20%' : roles.includes('commenter') ? ROLE_COLUMN_PX : 100,
      cell: ({ accessRole, expiresAt, grants }) =>
        isRoomy === false ? (
          <RoleBadge role={accessRole} />
        ) : (
          <RoleBadge
            role={accessRole}
            {...(expiresAt !== undefined && { expiresAt: expiresAt * 1000, afterwards: remaining(grants) })}
          />
        ),
    },
    {
      key: 'source',
      header: 'Source',
      width: isRoomy === false ? '38%' : '30%',
      wideOnly: true,
      cell: (user) => (
        <>
          <Source user={user} place={place} name={named} />
          {isRoomy === false && <EndLine user={user} />}
        </>
      ),
    },
    // In smaller windows the expiry is below the source; on narrow screens both are below the name.
    ...(isRoomy === false ? [] : [EXPIRY_COLUMN]),
    actionsColumn(actions, 48),
  ]
  return (
    <>
      <Group justify="space-between">
        <search style={{ flex: '1 1 14rem', maxWidth: 360 }}>
          <SearchField
            label="Search by id, name or e-mail address"
            placeholder="Id, name or e-mail address"
            typed={typed}
            onType={type}
          />
        </search>
        <SegmentedControl
          aria-label="Role"
          transitionDuration={0}
          value={role}
          onChange={(value) => setRole(value as RoleFilter)}
          data={FILTERS.filter(({ value }) => value === 'all' || roles.includes(value))}
        />
      </Group>
      {isIncomplete && (
        <Text size="sm" c="dimmed" role="status">
          {matching.length.toLocaleString('en')} of the first {loaded.length.toLocaleString('en')} users match; there
          are more. Use Why to check a user by the full id.
        </Text>
      )}
      <DataTable
        label="Who has access"
        rows={isFiltered ? filteredRows(people, matching, `${role} ${searchText}`) : people}
        columns={columns}
        idOf={({ userId }) => userId}
        nameOf={({ userId, name }) => shownName(name, userId)}
        selection={selection}
        height="32rem"
        empty={
          <Paper withBorder>
            {isDisabled ? (
              <EmptyState title="Nobody has access while it is disabled">
                Grants are kept, and apply again once it is enabled from its menu in the list.
              </EmptyState>
            ) : isFiltered ? (
              <EmptyState title="No matching users">No user with access matches this text and role.</EmptyState>
            ) : (
              <EmptyState title="Nobody has access" action={giveButton}>
                No grant here or above gives access, and neither does the access type.
              </EmptyState>
            )}
          </Paper>
        }
      />
    </>
  )
}

const filteredRows = (
  { error, isLoading, source }: Rows<PermittedUser>,
  matching: readonly PermittedUser[],
  filter: string,
): Rows<PermittedUser> =>
  staticRows(matching, {
    error,
    isFetching: isLoading,
    source: source && { ...source, list: `${source.list} ${filter}` },
  })

const EXPIRY_COLUMN: Column<PermittedUser> = {
  key: 'end',
  header: 'Expires',
  width: 172,
  wideOnly: true,
  cell: ({ expiresAt }) => (expiresAt === undefined ? 'never' : <Timestamp at={expiresAt * 1000} date />),
}
