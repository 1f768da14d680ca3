/** The users who have access to something inside a folder or organization, but not to it itself. */
import { Box, Paper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ROLE_COLUMN_PX, RoleBadge } from '../../components/access/role-badge.tsx'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { PersonLink } from '../../components/people/person.tsx'
import { ToOrganizations } from '../../components/resources/organization-states.tsx'
import { EveryoneInside } from '../../components/resources/others-inside.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { actionsColumn } from '../../components/tables/row-menu.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { plural } from '../../plural.ts'
import { chainQuery } from '../../queries/access/access.ts'
import { type InsideUser, insideUsersQuery } from '../../queries/access/inside.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { nameOfResource, type ResourceSearch } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { shownName } from '../../shown-name.ts'
import { InsideMenu } from './inside-menu.tsx'

export function InsideView() {
  const search = useSearch({ from: '/keys/$apiKey/inside' })
  return search.id === '' ? (
    <NotFound action={<ToOrganizations />}>The link names no folder and no organization.</NotFound>
  ) : (
    <Inside search={search} />
  )
}

function Inside({ search }: { search: ResourceSearch }) {
  const key = useKey()
  const { organizationId, type, id } = search
  const resource = nameOfResource(search)
  const { data: location } = useQuery(chainQuery(key, resource))
  const users = useRows(insideUsersQuery(key, organizationId, resource))
  const chain = location?.chain ?? []
  return (
    <Page
      title={`Inside ${shownName(chain[0]?.name, id)}`}
      crumbs={[...chain]
        .reverse()
        .map((entry) => (
          <ResourceLink key={`${entry.type} ${entry.id}`} organizationId={organizationId} resource={entry} />
        ))}
      intro={`Users without access to the ${type} itself who have access to something inside it, at any depth.`}
    >
      <EveryoneInside resource={resource} />
      <DataTable
        label="Who has access to something inside"
        rows={users}
        columns={columnsOf(key.id, search)}
        idOf={({ userId }) => userId}
        height="32rem"
        empty={
          <Paper withBorder>
            <EmptyState title="No other users">
              Everybody with a grant or membership that gives access to something inside also has access to the {type}{' '}
              itself.
            </EmptyState>
          </Paper>
        }
      />
    </Page>
  )
}

const columnsOf = (apiKey: string, about: ResourceSearch): Column<InsideUser>[] => [
  {
    key: 'user',
    header: 'User',
    cell: (user) => (
      <>
        <PersonLink userId={user.userId} name={user.name} about={about} />
        <Box hiddenFrom="md" lh="24px">
          <Reached {...{ apiKey, about, user }} size="xs" />
        </Box>
      </>
    ),
  },
  {
    key: 'resources',
    header: 'Has access to',
    width: '32%',
    wideOnly: true,
    cell: (user) => <Reached {...{ apiKey, about, user }} size="sm" />,
  },
  {
    key: 'role',
    header: 'Widest role',
    width: ROLE_COLUMN_PX,
    cell: ({ inside }) => <RoleBadge role={inside?.accessRole} />,
  },
  actionsColumn((user) => <InsideMenu apiKey={apiKey} about={about} user={user} />),
]

interface ReachedProps {
  apiKey: string
  about: ResourceSearch
  user: InsideUser
  size: 'xs' | 'sm'
}

/** How much the user has access to; leads to it. */
function Reached({ apiKey, about: { type, id, organizationId }, user: { userId, inside }, size }: ReachedProps) {
  if (inside === undefined) return null
  const within = type === 'folder' ? { folderId: id } : {}
  return (
    <AnchorLink
      to="/keys/$apiKey/users/user"
      params={{ apiKey }}
      search={{ userId, organizationId, ...within }}
      hash="access"
      size={size}
      lh="inherit"
      display="inline-block"
    >
      {plural(inside.resources, 'resource')}
    </AnchorLink>
  )
}
