/** The organizations of an API key: finding one, adding, renaming, disabling and deleting. */
import { Badge, Button, Paper, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OrganizationRecord } from '#sdk/generated/operations.ts'
import { ConfirmByName } from '../../components/confirm-by-name.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { notifyFailure } from '../../components/failure.tsx'
import { Id } from '../../components/id.tsx'
import {
  deleteOrganizations,
  disableOrganizations,
  organizationQuery,
  organizationsQuery,
} from '../../queries/organizations.ts'
import { fixedRows } from '../../queries/rows.ts'
import { useRows } from '../../queries/use-rows.ts'
import { useKey } from '../../session/use-session.ts'
import { AnchorLink } from '../../shell/links.tsx'
import { Page } from '../../shell/page.tsx'
import { FindById } from './find-by-id.tsx'
import { OrganizationForm } from './organization-form.tsx'
import { OrganizationMenu } from './organization-menu.tsx'

export function OrganizationsView() {
  const key = useKey()
  const [sought, setSought] = useState('')
  const [adding, { open: add, close: closeAdding }] = useDisclosure()
  const [renamed, rename] = useState<OrganizationRecord>()
  const [deleted, askToDelete] = useState<OrganizationRecord>()
  const organizations = useRows(organizationsQuery(key))
  const found = useQuery({ ...organizationQuery(key, sought), enabled: sought !== '' })

  const remove = useMutation({
    ...deleteOrganizations(key),
    onSuccess: (_result, { organizationIds }) => {
      askToDelete(undefined)
      notifications.show({ message: `${organizationIds.join(', ')} is deleted.` })
    },
  })
  const disable = useMutation({ ...disableOrganizations(key), onError: notifyFailure })

  const columns: Column<OrganizationRecord>[] = [
    {
      key: 'name',
      header: 'Name',
      cell: ({ id, organizationName }) => (
        <AnchorLink
          to="/keys/$apiKey/organizations/resources"
          params={{ apiKey: key.id }}
          search={{ organizationId: id }}
          size="sm"
          display="block"
          truncate
        >
          <bdi>{organizationName ?? id}</bdi>
        </AnchorLink>
      ),
    },
    { key: 'id', header: 'Id', cell: ({ id }) => <Id>{id}</Id> },
    {
      key: 'state',
      header: 'State',
      width: 120,
      wideOnly: true,
      cell: ({ disabled }) => <State disabled={disabled} />,
    },
    {
      key: 'actions',
      header: <VisuallyHidden>Actions</VisuallyHidden>,
      width: 56,
      align: 'end',
      cell: (organization) => (
        <OrganizationMenu
          organization={organization}
          onRename={() => rename(organization)}
          onDisable={() => disable.mutate({ organizationIds: [organization.id], disabled: !organization.disabled })}
          onDelete={() => askToDelete(organization)}
        />
      ),
    },
  ]
  const rows = sought === '' ? organizations : fixedRows(found.data ? [found.data] : [], found)
  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
      Add organization
    </Button>
  )
  return (
    <Page
      title="Organizations"
      intro="The tenants of your application. Each has folders, documents and people of its own."
      actions={addButton}
    >
      <FindById label="Find by id" onFind={setSought} />
      <DataTable
        label="Organizations"
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Paper withBorder>
            {sought === '' ? (
              <EmptyState title="No organizations yet" action={addButton}>
                Add the first one; your back end can add them as well, with <code>organizations.add</code>.
              </EmptyState>
            ) : (
              <EmptyState title="No organization has this id">
                Ids are compared letter by letter; the whole id has to be entered.
              </EmptyState>
            )}
          </Paper>
        }
      />
      {adding && <OrganizationForm onClose={closeAdding} />}
      {renamed !== undefined && <OrganizationForm organization={renamed} onClose={() => rename(undefined)} />}
      {deleted !== undefined && (
        <ConfirmByName
          title="Delete the organization"
          name={deleted.organizationName ?? deleted.id}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ organizationIds: [deleted.id] })}
          onClose={() => {
            remove.reset()
            askToDelete(undefined)
          }}
        >
          All its folders, documents, grants, groups and migrations go with it. This cannot be undone.
        </ConfirmByName>
      )}
    </Page>
  )
}

function State({ disabled }: { disabled: boolean }) {
  return (
    <Badge variant="default" tt="none">
      {disabled ? 'disabled' : 'enabled'}
    </Badge>
  )
}
