/** The actions for all selected rows. */
import { Button, Group, Paper, Text } from '@mantine/core'
import { counted, idsOf, type Resource } from './resource.ts'

type BulkAction = 'move' | 'access' | 'disable' | 'enable' | 'delete'

interface SelectionBarProps {
  chosen: readonly Resource[]
  busy: boolean
  onAction: (action: BulkAction) => void
  onClear: () => void
}

export function SelectionBar({ chosen, busy, onAction, onClear }: SelectionBarProps) {
  const { folderIds, documentIds } = idsOf('', chosen)
  const documents = chosen.filter(({ type }) => type === 'document')
  return (
    <Paper withBorder p="xs" component="section" aria-label="Selection">
      <Group gap="xs" justify="space-between">
        <Text size="sm" role="status" fw={600}>
          {counted(folderIds.length, documentIds.length)} selected
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" loading={busy} onClick={() => onAction('move')}>
            Move…
          </Button>
          <Button size="compact-sm" variant="default" loading={busy} onClick={() => onAction('access')}>
            Access type…
          </Button>
          {documents.some(({ disabled }) => !disabled) && (
            <Button size="compact-sm" variant="default" loading={busy} onClick={() => onAction('disable')}>
              Disable documents
            </Button>
          )}
          {documents.some(({ disabled }) => disabled) && (
            <Button size="compact-sm" variant="default" loading={busy} onClick={() => onAction('enable')}>
              Enable documents
            </Button>
          )}
          <Button size="compact-sm" color="red" variant="outline" loading={busy} onClick={() => onAction('delete')}>
            Delete…
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={onClear}>
            Clear selection
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}
