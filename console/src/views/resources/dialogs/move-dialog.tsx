/** The dialog that moves folders and documents: the alternative to dragging for keyboard and touch. */
import { Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { FormDialog } from '../../../components/forms/form-dialog.tsx'
import { ROOT } from '../../../queries/resources/folders.ts'
import { FolderTree } from '../folders/folder-tree.tsx'
import { useFolderPath } from '../folders/use-folder-path.ts'
import { describeResources, neededFor, type Resource } from '../resource.ts'

interface MoveDialogProps {
  organizationId: string
  organizationName: string
  resources: readonly Resource[]
  onMove: (to: { id: string; name: string }) => void
  onClose: () => void
}

export function MoveDialog({ organizationId, organizationName, resources, onMove, onClose }: MoveDialogProps) {
  const [to, choose] = useState({ id: resources[0]?.parentId ?? ROOT, name: '' })
  const path = useFolderPath(organizationId, to.id)
  const isThere = resources.every(({ parentId }) => parentId === to.id)
  const above = [...(path.folder?.ancestors ?? []), to.id]
  const isInside = resources.some(({ type, id }) => type === 'folder' && above.includes(id))
  return (
    <FormDialog
      needs={neededFor(resources).move}
      title={<bdi>Move {describeResources(resources)}</bdi>}
      action="Move here"
      disabled={isThere || isInside}
      onSubmit={() => {
        onMove(to)
        onClose()
      }}
      onClose={onClose}
    >
      <Text size="sm">
        Items without an access type of their own inherit the access type of the new folder. Their grants are kept.
      </Text>
      <Paper withBorder p="xs" mah="50dvh" style={{ overflow: 'auto' }}>
        <FolderTree
          label="Target folder"
          organizationId={organizationId}
          organizationName={organizationName}
          chosen={to.id}
          path={path}
          onChoose={(id, name) => choose({ id, name })}
        />
      </Paper>
      <Text size="sm" role="status" mih="1.5em">
        {isInside
          ? 'A folder cannot be moved into itself or one of its subfolders.'
          : isThere
            ? 'Select a different folder: it is already in this one.'
            : ''}
      </Text>
    </FormDialog>
  )
}
