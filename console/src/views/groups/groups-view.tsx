/** The user groups of an organization, and the members and grants of the selected group. */

import { Box, Grid, Paper, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { UserGroupRecord } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { GiveAccess } from '../../components/people/give-access.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { FILTER_WIDTH, OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { NoOrganizations, useIsUnknownOrganization } from '../../components/resources/organization-states.tsx'
import { DataTable } from '../../components/tables/data-table.tsx'
import { SearchField } from '../../components/tables/search-field.tsx'
import { useSearchText } from '../../components/tables/use-search-text.ts'
import { useSorting } from '../../components/tables/use-sorting.ts'
import { AnchorLink } from '../../links/links.tsx'
import type { GroupsSearch } from '../../links/searches.ts'
import { useAddress } from '../../links/use-address.ts'
import { pageQuery } from '../../queries/pages/pages.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { organizationsQuery } from '../../queries/resources/organizations.ts'
import { foundGroupsQuery } from '../../queries/search.ts'
import { userGroupQuery, userGroupsQuery } from '../../queries/users/groups.ts'
import { openOrganization } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { DeleteGroup } from './delete-group.tsx'
import { Grants } from './grants.tsx'
import { groupColumns } from './group-columns.tsx'
import { GroupForm } from './group-form.tsx'
import { Members } from './members.tsx'

export function GroupsView() {
  const key = useKey()
  const [address, change] = useAddress<GroupsSearch>(useSearch({ from: '/keys/$apiKey/groups' }))
  const organizations = useQuery(pageQuery(organizationsQuery(key)))
  const organizationId = address.organizationId ?? openOrganization(key.id, organizations.data?.rows) ?? ''
  const sorting = useSorting()
  const [adding, { open: add, close: closeAdding }] = useDisclosure()
  const [given, give] = useState<UserGroupRecord>()
  const [renamed, rename] = useState<UserGroupRecord>()
  const [deleted, askToDelete] = useState<UserGroupRecord>()
  const { typed, type, sought } = useSearchText()
  const isThere = organizationId !== ''
  const isUnknown = useIsUnknownOrganization(organizationId)
  const groups = useRows({
    ...userGroupsQuery(key, organizationId, sorting.orderBy),
    enabled: isThere && sought === '',
  })
  const found = useRows({ ...foundGroupsQuery(key, organizationId, sought), enabled: isThere && sought !== '' })
  const { data: chosen } = useQuery({
    ...userGroupQuery(key, organizationId, address.groupId ?? ''),
    enabled: organizationId !== '' && address.groupId !== undefined,
  })
  const hasNone = chosen === undefined && groups.count === 0 && !groups.isLoading && !groups.hasMore
  const addButton = (
    <PermittedButton
      needs="user-groups.add"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={add}
      disabled={!isThere || isUnknown}
    >
      Add group
    </PermittedButton>
  )
  return (
    <Page
      title="Groups"
      intro="Named sets of members of an organization. The grants of a group apply to all of them."
      actions={addButton}
    >
      <OrganizationSelect
        label="Organization"
        w={FILTER_WIDTH}
        value={organizationId}
        onChange={(id) => change(({ groupId, ...search }) => ({ ...search, organizationId: id }))}
      />
      {organizationId === '' && organizations.data !== undefined && (
        <NoOrganizations>Groups belong to an organization.</NoOrganizations>
      )}
      {organizationId !== '' && (
        <Grid gap="md">
          {/* Where there is no room beside the list, the group that is open takes its place. */}
          <Grid.Col span={{ base: 12, lg: 6 }} {...(chosen && { visibleFrom: 'lg' })}>
            <Box component="search" mb="sm">
              <SearchField label="Find by name or id" placeholder="Find by name or id" typed={typed} onType={type} />
            </Box>
            <DataTable
              label="Groups"
              rows={sought === '' ? groups : found}
              columns={groupColumns({ organizationId, onGive: give, onRename: rename, onDelete: askToDelete })}
              idOf={({ groupId }) => groupId}
              sorting={sought === '' ? sorting : undefined}
              empty={
                <Paper withBorder>
                  {sought === '' ? (
                    <EmptyState title="No groups in this organization yet" action={addButton}>
                      Add the first one here, or from your back end with <code>user-groups.add</code>.
                    </EmptyState>
                  ) : (
                    <EmptyState title="No matching groups">
                      No group of the organization has “{sought}” in its name or id.
                    </EmptyState>
                  )}
                </Paper>
              }
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 6 }}>
            {chosen ? (
              <Stack key={`${organizationId}\n${chosen.groupId}`} gap="lg">
                <AnchorLink
                  to="/keys/$apiKey/groups"
                  params={{ apiKey: key.id }}
                  search={({ orderBy }) => ({ organizationId, ...(orderBy && { orderBy }) })}
                  size="sm"
                  hiddenFrom="lg"
                >
                  All groups
                </AnchorLink>
                <Members organizationId={organizationId} group={chosen} onGive={() => give(chosen)} />
                <Grants organizationId={organizationId} groupId={chosen.groupId} />
              </Stack>
            ) : hasNone ? null : (
              <Paper withBorder>
                <EmptyState title={chosen === null ? 'Group not found' : 'No group selected'}>
                  Select a group to see its members and grants.
                </EmptyState>
              </Paper>
            )}
          </Grid.Col>
        </Grid>
      )}
      {given !== undefined && (
        <GiveAccess
          holder={{ groupId: given.groupId }}
          name={given.groupName}
          organizationId={organizationId}
          onClose={() => give(undefined)}
        />
      )}
      {adding && <GroupForm organizationId={organizationId} onClose={closeAdding} />}
      {renamed !== undefined && (
        <GroupForm organizationId={organizationId} group={renamed} onClose={() => rename(undefined)} />
      )}
      {deleted !== undefined && (
        <DeleteGroup organizationId={organizationId} group={deleted} onClose={() => askToDelete(undefined)} />
      )}
    </Page>
  )
}
