/** The organizations of an API key, with finding, adding, renaming, disabling and deleting. */

import { Box, Group, Paper } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { OrganizationRecord } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { ConfirmByName } from '../../components/forms/confirm-by-name.tsx'
import { Page } from '../../components/page/page.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { actionsColumn } from '../../components/tables/row-menu.tsx'
import { SearchField } from '../../components/tables/search-field.tsx'
import { useSearchText } from '../../components/tables/use-search-text.ts'
import { useSorting } from '../../components/tables/use-sorting.ts'
import { Id } from '../../components/values/id.tsx'
import { LongName } from '../../components/values/long-name.tsx'
import { EnabledBadge } from '../../components/values/state-badge.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { deletionOf } from '../../queries/pages/deletion.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { deleteOrganization, disableOrganizations, organizationsQuery } from '../../queries/resources/organizations.ts'
import { foundOrganizationsQuery } from '../../queries/search.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { OrganizationContents } from './contents.tsx'
import { DisableOrganization } from './disable-organization.tsx'
import { OrganizationForm } from './organization-form.tsx'
import { OrganizationMenu } from './organization-menu.tsx'

export function OrganizationsView() {
  const key = useKey()
  const sorting = useSorting()
  const { typed, type, sought } = useSearchText()
  const { add: addAtOnce, ...search } = useSearch({ from: '/keys/$apiKey/organizations' })
  const navigate = useNavigate()
  const [opened, { open: add, close }] = useDisclosure()
  const adding = opened || addAtOnce === true
  // Reloading the page, or coming back to it, must not open the dialog of the link again.
  function closeAdding(): void {
    close()
    if (addAtOnce)
      void navigate({ to: '/keys/$apiKey/organizations', params: { apiKey: key.id }, search, replace: true })
  }
  const [renamed, rename] = useState<OrganizationRecord>()
  const [deleted, askToDelete] = useState<OrganizationRecord>()
  const organizations = useRows({ ...organizationsQuery(key, sorting.orderBy), enabled: sought === '' })
  const found = useRows({ ...foundOrganizationsQuery(key, sought), enabled: sought !== '' })

  const remove = useMutation({
    ...deleteOrganization(key),
    onSuccess: (deletion, { id, organizationName }) => {
      askToDelete(undefined)
      notifications.show({ message: deletionOf(`“${shownName(organizationName, id)}”`, deletion), role: 'status' })
    },
  })
  const [closing, askToClose] = useState<OrganizationRecord>()
  const disabling = useMutation(disableOrganizations(key))
  function setDisabled(organization: OrganizationRecord, disabled: boolean): void {
    const set = (disabled: boolean) => disabling.mutateAsync({ organizationIds: [organization.id], disabled })
    const said = `“${shownName(organization.organizationName, organization.id)}” ${disabled ? 'disabled' : 'enabled'}.`
    void set(disabled).then(() => notifyWithUndo(said, () => set(!disabled)), notifyFailure)
  }

  const columns: Column<OrganizationRecord>[] = [
    {
      key: 'name',
      header: 'Name',
      sortedBy: 'name',
      cell: ({ id, organizationName, disabled }) => (
        <Group gap={6} wrap="nowrap" miw={0}>
          <AnchorLink
            to="/keys/$apiKey/organizations/resources"
            params={{ apiKey: key.id }}
            search={{ organizationId: id }}
            size="sm"
            miw={0}
          >
            <LongName>{shownName(organizationName, id)}</LongName>
          </AnchorLink>
          {disabled && (
            <Box hiddenFrom="md" flex="none">
              <EnabledBadge disabled />
            </Box>
          )}
        </Group>
      ),
    },
    { key: 'id', header: 'Id', sortedBy: 'id', wideOnly: true, cell: ({ id }) => <Id>{id}</Id> },
    {
      key: 'state',
      header: 'State',
      width: 120,
      wideOnly: true,
      cell: ({ disabled }) => <EnabledBadge disabled={disabled} />,
    },
    actionsColumn((organization) => (
      <OrganizationMenu
        organization={organization}
        onRename={() => rename(organization)}
        onDisable={() => (organization.disabled ? setDisabled(organization, false) : askToClose(organization))}
        onDelete={() => askToDelete(organization)}
      />
    )),
  ]
  const rows = sought === '' ? organizations : found
  const addButton = (
    <PermittedButton needs="organizations.add" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
      Add organization
    </PermittedButton>
  )
  return (
    <Page
      title="Organizations"
      intro="The tenants of your application. Each has its own folders, documents and members."
      actions={addButton}
    >
      <search>
        <SearchField label="Find by name or id" placeholder="Find by name or id" typed={typed} onType={type} />
      </search>
      <DataTable
        label="Organizations"
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        sorting={sought === '' ? sorting : undefined}
        empty={
          <Paper withBorder>
            {sought === '' ? (
              <EmptyState title="No organizations yet" action={addButton}>
                Add the first one here, or from your back end with <code>organizations.add</code>.
              </EmptyState>
            ) : (
              <EmptyState title="No matching organizations">
                No organization has “{sought}” in its name or id.
              </EmptyState>
            )}
          </Paper>
        }
      />
      {adding && <OrganizationForm onClose={closeAdding} />}
      {renamed !== undefined && <OrganizationForm organization={renamed} onClose={() => rename(undefined)} />}
      {closing !== undefined && (
        <DisableOrganization
          organization={closing}
          onConfirm={() => setDisabled(closing, true)}
          onClose={() => askToClose(undefined)}
        />
      )}
      {deleted !== undefined && (
        <ConfirmByName
          needs="organizations.delete"
          title="Delete organization"
          name={shownName(deleted.organizationName, deleted.id)}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(deleted)}
          onClose={() => {
            remove.reset()
            askToDelete(undefined)
          }}
        >
          <OrganizationContents organizationId={deleted.id} what="will be deleted" />
          This deletes all its folders, documents, grants, groups and migrations. This cannot be undone.
        </ConfirmByName>
      )}
    </Page>
  )
}
