/** The API keys of the workspace. */

import { Paper, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { EnvironmentBadge } from '../../components/page/environment.tsx'
import { Page } from '../../components/page/page.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { PermittedLink } from '../../components/permitted/permitted.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { actionsColumn } from '../../components/tables/row-menu.tsx'
import { SearchField } from '../../components/tables/search-field.tsx'
import { useSearchText } from '../../components/tables/use-search-text.ts'
import { useSorting } from '../../components/tables/use-sorting.ts'
import { Id } from '../../components/values/id.tsx'
import { EnabledBadge } from '../../components/values/state-badge.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { keyPagesQuery } from '../../queries/keys/keys.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { isProduction } from '../../session/permission.ts'
import { nameOf } from '../../shell/key-switcher.tsx'
import { DeleteKey } from './delete-key.tsx'
import { DisableKey, useDisableKey } from './disable-key.tsx'
import { KeyHistory } from './key-history.tsx'
import { KeyMenu } from './key-menu.tsx'
import { RenameKey } from './rename-key.tsx'

const createButton = (
  <PermittedLink needs="api-keys.create" to="/keys/new" leftSection={<IconPlus size={16} aria-hidden />}>
    Create key
  </PermittedLink>
)

export function KeysView() {
  return (
    <Page
      title="API keys"
      intro="Each API key is a separate data set with its own tokens and settings. Use one for each environment of your application."
      actions={createButton}
    >
      <WorkspaceOnly>
        <Keys />
      </WorkspaceOnly>
    </Page>
  )
}

function Keys() {
  const sorting = useSorting()
  const { typed, type, sought } = useSearchText()
  const keys = useRows(keyPagesQuery(sought, sorting.orderBy))
  const [renamed, rename] = useState<ApiKeySummary>()
  const { toggle } = useDisableKey()
  const [disabled, askToDisable] = useState<ApiKeySummary>()
  const [deleted, askToDelete] = useState<ApiKeySummary>()
  const columns: Column<ApiKeySummary>[] = [
    {
      key: 'name',
      header: 'Name',
      sortedBy: 'name',
      cell: (key) => (
        <>
          <AnchorLink size="sm" to="/keys/$apiKey" params={{ apiKey: key.id }} title={nameOf(key)}>
            <bdi>{nameOf(key)}</bdi>
          </AnchorLink>
          {key.disabled && (
            <Text size="xs" c="dimmed" hiddenFrom="md">
              disabled
            </Text>
          )}
        </>
      ),
    },
    { key: 'id', header: 'API key', sortedBy: 'id', wideOnly: true, cell: ({ id }) => <Id>{id}</Id> },
    { key: 'type', header: 'Type', width: 130, cell: ({ id }) => <EnvironmentBadge apiKey={id} /> },
    {
      key: 'state',
      header: 'State',
      width: 120,
      wideOnly: true,
      cell: ({ disabled }) => <EnabledBadge disabled={disabled} />,
    },
    actionsColumn((key) => (
      <KeyMenu
        apiKey={key}
        onRename={() => rename(key)}
        onDisable={() => (key.disabled || !isProduction(key.id) ? toggle(key) : askToDisable(key))}
        onDelete={() => askToDelete(key)}
      />
    )),
  ]
  return (
    <>
      <search>
        <SearchField label="Find by name or id" placeholder="Find by name or id" typed={typed} onType={type} />
      </search>
      <DataTable
        label="API keys"
        rows={keys}
        columns={columns}
        idOf={({ id }) => id}
        sorting={sorting}
        empty={
          <Paper withBorder>
            {sought === '' ? (
              <EmptyState title="No API keys yet" action={createButton}>
                Create one for the environment that you are working on. Testing and production should not share a key.
              </EmptyState>
            ) : (
              <EmptyState title="No matching API keys">
                No key has “{sought}” in its name, or at the beginning of its id.
              </EmptyState>
            )}
          </Paper>
        }
      />
      <KeyHistory />
      {renamed !== undefined && <RenameKey apiKey={renamed} onClose={() => rename(undefined)} />}
      {disabled !== undefined && (
        <DisableKey
          apiKey={disabled}
          onConfirm={() => {
            toggle(disabled)
            askToDisable(undefined)
          }}
          onClose={() => askToDisable(undefined)}
        />
      )}
      {deleted !== undefined && <DeleteKey apiKey={deleted} onClose={() => askToDelete(undefined)} />}
    </>
  )
}
