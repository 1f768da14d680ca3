/** The resources of one organization that a user has access to, and why. */
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EveryoneBadge } from '../../components/access/everyone.tsx'
import { useRoleColumn } from '../../components/access/role-column.tsx'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { FILTER_WIDTH, OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { ResourceName } from '../../components/resources/resource-name.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { useRows } from '../../queries/pages/use-rows.ts'
import { folderQuery } from '../../queries/resources/folders.ts'
import { type NamedResource, permittedResourcesQuery } from '../../queries/resources/resource-names.ts'
import { groupNamesQuery } from '../../queries/users/groups.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { useByName } from './by-name.ts'

interface AccessibleResourcesProps {
  userId: string
  isDisabled: boolean
  /** An organization with data about the user. */
  known: string | undefined
  /** Only the folder, with everything inside it, until another organization is chosen. */
  folderId: string | undefined
  /** The organizations are still loading. */
  isLoadingOrganizations: boolean
}

export function AccessibleResources(props: AccessibleResourcesProps) {
  const { userId, isDisabled, known = '', folderId, isLoadingOrganizations } = props
  const key = useKey()
  const [chosen, choose] = useState<string>()
  const organizationId = chosen ?? known
  const within = chosen === undefined ? folderId : undefined
  const role = useRoleColumn('24%', true)
  const listed = useRows({
    ...permittedResourcesQuery(key, { organizationId, userId, ...(within !== undefined && { folderId: within }) }),
    enabled: organizationId !== '',
  })
  const resources = useByName(listed)
  return (
    <>
      <OrganizationSelect label="Organization" w={FILTER_WIDTH} value={organizationId} onChange={choose} />
      {within !== undefined && <Within organizationId={organizationId} userId={userId} folderId={within} />}
      {organizationId === '' ? (
        <Text size="sm" c="dimmed">
          {isLoadingOrganizations ? 'Loading…' : 'Select an organization to see what the user has access to.'}
        </Text>
      ) : (
        <DataTable
          label="Accessible resources"
          height="24rem"
          rows={resources}
          columns={columnsOf(organizationId, userId, role)}
          idOf={({ type, id }) => `${type} ${id}`}
          empty={
            isDisabled ? (
              <EmptyState title="The user is disabled">
                Everything is denied. Grants and access types count again once the user is enabled.
              </EmptyState>
            ) : (
              <EmptyState title="No access in this organization">
                The user has no active grant here, and nothing in it is public.
              </EmptyState>
            )
          }
        />
      )}
    </>
  )
}

function Within({ organizationId, userId, folderId }: { organizationId: string; userId: string; folderId: string }) {
  const key = useKey()
  const { data: folder } = useQuery(folderQuery(key, organizationId, folderId))
  const name = folder?.folderName
  return (
    <Group gap="xs" fz="sm">
      Only in
      <ResourceLink
        organizationId={organizationId}
        resource={{ type: 'folder', id: folderId, ...(name !== undefined && { name }) }}
      />
      <AnchorLink
        to="/keys/$apiKey/users/user"
        params={{ apiKey: key.id }}
        search={{ userId, organizationId }}
        hash="access"
        size="sm"
      >
        Show the whole organization
      </AnchorLink>
    </Group>
  )
}

const columnsOf = (organizationId: string, userId: string, role: Column<NamedResource>): Column<NamedResource>[] => [
  {
    key: 'resource',
    header: 'Resource',
    cell: (row) => (
      <>
        <ResourceName
          {...{ organizationId, userId, resource: row, name: row.name }}
          short={row.accessType === 'public'}
        />
        {row.accessType === 'public' && <EveryoneBadge />}
      </>
    ),
  },
  role,
  {
    key: 'by',
    header: 'Source',
    width: '26%',
    wideOnly: true,
    cell: (row) => <Source organizationId={organizationId} row={row} />,
  },
]

function Source({ organizationId, row }: { organizationId: string; row: NamedResource }) {
  const group = row.via?.group
  const { data: names } = useQuery(groupNamesQuery(useKey(), organizationId, group === undefined ? [] : [group]))
  const source = describeSource(row)
  if (group === undefined)
    return (
      <ClampedText size="xs" c="dimmed" lh={1.15} lines={3}>
        <bdi dir="ltr">{source}</bdi>
      </ClampedText>
    )
  return (
    <Group gap={4} fz="xs" c="dimmed" wrap="nowrap" title={source}>
      <span style={{ whiteSpace: 'nowrap' }}>by group</span>
      <UserGroupLink organizationId={organizationId} groupId={group} name={names?.get(group)} />
    </Group>
  )
}

function describeSource({ reason, via, viaName }: NamedResource): string {
  if (reason === 'access_type') return via?.type === 'keyDefault' ? 'public by default' : 'public'
  if (reason === 'membership') return 'membership'
  return via?.inherited ? `grant on ${via.type} ${shownName(viaName, via.id ?? '')}` : 'own grant'
}
