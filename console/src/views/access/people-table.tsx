/** The users with access to a resource: role, source and expiry. */
import { Group, Paper, SegmentedControl, Text, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { AccessRole, ExplainedResource } from '#sdk/generated/operations.ts'
import { RoleBadge } from '../../components/access/role-badge.tsx'
import { useAccessRoles } from '../../components/access/roles.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { PersonLink } from '../../components/people/person.tsx'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { SearchField } from '../../components/tables/search-field.tsx'
import type { Selection } from '../../components/tables/selection.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import type { PermittedUser } from '../../queries/access/people.ts'
import { type Rows, staticRows } from '../../queries/pages/rows.ts'
import { givingResource, isSame, searchOf } from '../../resource.ts'
import type { Place } from './change/change.ts'

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
  const [text, setText] = useState('')
  const searchText = text.trim().toLowerCase()
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
  const columns: Column<PermittedUser>[] = [
    {
      key: 'user',
      header: 'User',
      cell: ({ userId, name }) => <PersonLink userId={userId} name={name} about={about} />,
    },
    {
      key: 'role',
      header: 'Role',
      width: 'clamp(7rem, 20%, 14rem)',
      cell: ({ accessRole, expiresAt, grants }) => (
        <RoleBadge
          role={accessRole}
          {...(expiresAt !== undefined && { expiresAt: expiresAt * 1000, afterwards: remaining(grants) })}
        />
      ),
    },
    {
      key: 'source',
      header: 'Source',
      width: '28%',
      wideOnly: true,
      cell: (user) => <Source user={user} place={place} name={named} />,
    },
    // On narrow screens the role badge shows the expiry.
    ...(isWide === false ? [] : [EXPIRY_COLUMN]),
    { key: 'actions', header: <VisuallyHidden>Actions</VisuallyHidden>, width: 56, align: 'end', cell: actions },
  ]
  return (
    <>
      <Group justify="space-between">
        <search style={{ flex: '1 1 14rem', maxWidth: 360 }}>
          <SearchField
            label="Search by id, name or e-mail address"
            placeholder="Id, name or e-mail address"
            typed={text}
            onType={setText}
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
          {matching.length.toLocaleString()} of the first {loaded.length.toLocaleString()} users match; there are more.
          Use Why to check a user by the full id.
        </Text>
      )}
      <DataTable
        label="Who has access"
        rows={isFiltered ? filteredRows(people, matching, `${role} ${searchText}`) : people}
        columns={columns}
        idOf={({ userId }) => userId}
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

/** Says which role a standing grant beside the one that expires gives. */
function remaining(grants: PermittedUser['grants']): string | undefined {
  const standing = grants?.find(({ expiresAt }) => expiresAt === undefined)
  return standing && `${standing.accessRole} again`
}

const EXPIRY_COLUMN: Column<PermittedUser> = {
  key: 'end',
  header: 'Expires',
  width: 165,
  wideOnly: true,
  cell: ({ expiresAt }) => (expiresAt === undefined ? 'never' : <Timestamp at={expiresAt * 1000} date />),
}

const SOURCES: Partial<Record<PermittedUser['reason'], { here: string; above: string }>> &
  Record<'grant', { here: string; above: string }> = {
  grant: { here: 'grant here', above: 'grant on' },
  access_type: { here: 'public', above: 'public by' },
  membership: { here: 'member', above: 'member of' },
}

interface SourceProps {
  user: PermittedUser
  place: Place
  name: (giving: Place['resource']) => Place['resource']
}

function Source({ user: { reason, via, groupName }, place, name }: SourceProps) {
  const giving = givingResource(via)
  const isHere = giving === undefined || isSame(giving, place.resource)
  const labels = SOURCES[reason] ?? SOURCES.grant
  if (via?.group !== undefined)
    return (
      <Group gap={6} wrap="nowrap" fz="sm">
        <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
          by group
        </Text>
        <UserGroupLink organizationId={place.organizationId} groupId={via.group} name={groupName} />
        {!isHere && 'on'}
        {!isHere && <ResourceLink organizationId={place.organizationId} resource={name(giving)} />}
      </Group>
    )
  return (
    <Group gap={6} wrap="nowrap">
      <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
        {via?.type === 'keyDefault' ? 'public by the default of the API key' : isHere ? labels.here : labels.above}
      </Text>
      {!isHere && <ResourceLink organizationId={place.organizationId} resource={name(giving)} />}
    </Group>
  )
}
