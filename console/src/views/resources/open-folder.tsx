/** The table of the direct contents of a folder, with search and selection. */
import { Group, Paper, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { DataTable } from '../../components/tables/data-table.tsx'
import { SearchField } from '../../components/tables/search-field.tsx'
import { selectedRows } from '../../components/tables/selection.tsx'
import { useSorting } from '../../components/tables/use-sorting.ts'
import { AnchorLink } from '../../links/links.tsx'
import { ACCESS, MATRIX } from '../../links/paths.ts'
import { documentCountQuery } from '../../queries/resources/documents.ts'
import { ROOT } from '../../queries/resources/folders.ts'
import type { ResourceSearch } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { AccessType } from './access-type.tsx'
import type { ResourceDialog } from './dialogs/resource-dialogs.tsx'
import type { Drag } from './drag.ts'
import { type FolderPath, originName } from './folders/use-folder-path.ts'
import classes from './open-folder.module.css'
import { counted, type Resource, rowIdOf, rowNameOf, shownName } from './resource.ts'
import { resourceColumns } from './resource-columns.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { useResources, useSearch } from './use-resources.ts'

interface OpenFolderProps {
  organizationId: string
  folderId: string | undefined
  path: FolderPath
  drag: Drag
  selected: ReadonlyMap<string, Resource>
  onSelect: (rows: ReadonlyMap<string, Resource>) => void
  busy: boolean
  onOpenDialog: (dialog: ResourceDialog) => void
  onDisable: (resources: readonly Resource[], disabled: boolean) => void
}

export function OpenFolder(props: OpenFolderProps) {
  const { organizationId, folderId, path, drag, selected, onSelect, busy, onOpenDialog, onDisable } = props
  const sorting = useSorting()
  const rows = useResources(organizationId, folderId, sorting.orderBy)
  const search = useSearch(organizationId, rows)
  // A result from another folder inherits from that folder, not from the open one.
  const origin = search.searched === '' ? originName(path) : undefined
  const selectedResources = selectedRows(selected, search.rows, rowIdOf)
  const columns = resourceColumns({
    organizationId,
    origin,
    onAction: (action, resource) =>
      action === 'disable'
        ? onDisable([resource], !resource.disabled)
        : onOpenDialog({ what: action, resources: [resource] }),
  })
  return (
    <>
      <FolderSummary organizationId={organizationId} folderId={folderId} path={path} />
      <SearchBox typed={search.typed} searched={search.searched} onType={search.type} />
      {selectedResources.length > 0 && (
        <SelectionBar
          chosen={selectedResources}
          busy={busy}
          onAction={(what) => onOpenDialog({ what, resources: selectedResources })}
          onClear={() => onSelect(new Map())}
        />
      )}
      <DataTable
        label="Folders and documents"
        rows={search.rows}
        columns={columns}
        idOf={rowIdOf}
        nameOf={rowNameOf}
        selection={{ rows: selected, onChange: onSelect }}
        sorting={search.searched === '' ? sorting : undefined}
        rowProps={(row) => ({
          className: classes.row,
          ...drag.from(() => (selected.has(rowIdOf(row)) ? selectedResources : [row])),
          ...(row.type === 'folder' && drag.onto({ id: row.id, name: shownName(row) })),
        })}
        empty={
          <Paper withBorder>
            <Empty
              searched={search.searched}
              onOpenDialog={(type) => onOpenDialog({ what: 'add', type, parentId: folderId ?? ROOT })}
            />
          </Paper>
        }
      />
    </>
  )
}

/** About the open folder itself. */
type FolderSummaryProps = Pick<OpenFolderProps, 'organizationId' | 'folderId' | 'path'>

function FolderSummary({ organizationId, folderId, path }: FolderSummaryProps) {
  const key = useKey()
  const { data: documents } = useQuery(documentCountQuery(key, { organizationId, folderId: folderId ?? ROOT }))
  const { folder } = path
  const about: ResourceSearch =
    folderId === undefined
      ? { organizationId, type: 'organization', id: organizationId }
      : { organizationId, type: 'folder', id: folderId }
  return (
    <Group gap="md" mih="1.6rem">
      {documents !== undefined && (
        <Text size="sm" c="dimmed">
          {counted(0, documents)} {folderId === undefined ? 'at the top level' : 'directly in this folder'}
        </Text>
      )}
      {folder && (
        <AccessType
          type={folder.accessType}
          origin={folder.inheritAccessFromParent ? `from ${originName(path)}` : 'set here'}
        />
      )}
      <AnchorLink to={ACCESS} params={{ apiKey: key.id }} search={about} size="sm">
        Who has access
      </AnchorLink>
      <AnchorLink to={MATRIX} params={{ apiKey: key.id }} search={{ organizationId, folderId }} size="sm">
        Matrix
      </AnchorLink>
    </Group>
  )
}

interface EmptyProps {
  searched: string
  onOpenDialog: (type: 'folder' | 'document') => void
}

function Empty({ searched, onOpenDialog }: EmptyProps) {
  if (searched !== '')
    return (
      <EmptyState title="No matching folders or documents">
        Nothing in the organization has “{searched}” in its name or id.
      </EmptyState>
    )
  return (
    <EmptyState
      title="No folders or documents yet"
      action={
        <>
          <PermittedButton needs="folders.add" variant="default" onClick={() => onOpenDialog('folder')}>
            Add folder
          </PermittedButton>
          <PermittedButton needs="documents.add" onClick={() => onOpenDialog('document')}>
            Add document
          </PermittedButton>
        </>
      }
    >
      Access to a folder applies to its contents. Your back end can add both with <code>folders.add</code> and{' '}
      <code>documents.add</code>.
    </EmptyState>
  )
}

interface SearchBoxProps {
  typed: string
  searched: string
  onType: (text: string) => void
}

function SearchBox({ typed, searched, onType }: SearchBoxProps) {
  return (
    <search>
      <SearchField
        label="Find by name or id"
        placeholder="Find in the organization by name or id"
        typed={typed}
        onType={onType}
      />
      <Text size="xs" c="dimmed" role="status" mt={4} mih="1.2em">
        {searched !== '' && 'Found in the whole organization, best match first.'}
      </Text>
    </search>
  )
}
