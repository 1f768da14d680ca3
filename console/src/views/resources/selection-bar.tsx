/** The actions for all selected rows. */
import { Button, Group, Paper, Text } from '@mantine/core'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { counted, idsOf, neededFor, type Resource } from './resource.ts'

type BulkAction = 'move' | 'access' | 'disable' | 'enable' | 'delete'

interface SelectionBarProps {
  chosen: readonly Resource[]
  busy: boolean
  onAction: (action: BulkAction) => void
  onClear: () => void
}

export function SelectionBar({ chosen, busy, onAction, onClear }: SelectionBarProps) {
  const { folderIds, documentIds } = idsOf('', chosen)
  const needs = neededFor(chosen)
  const documents = chosen.filter(({ type }) => type === 'document')
  return (
    <Paper withBorder p="xs" component="section" aria-label="Selection">
      <Group gap="xs" justify="space-between">
        <Text size="sm" role="status" fw={600}>
          {counted(folderIds.length, documentIds.length)} selected
        </Text>
        <Group gap="xs">
          <PermittedButton
            needs={needs.move}
            size="compact-sm"
            variant="default"
            loading={busy}
            onClick={() => onAction('move')}
          >
            Move…
          </PermittedButton>
          <PermittedButton
            needs={needs.access}
            size="compact-sm"
            variant="default"
            loading={busy}
            onClick={() => onAction('access')}
          >
            Access type…
          </PermittedButton>
          {documents.some(({ disabled }) => !disabled) && (
            <PermittedButton
              needs={needs.disable}
              size="compact-sm"
              variant="default"
              loading={busy}
              onClick={() => onAction('disable')}
            >
              Disable documents
            </PermittedButton>
          )}
          {documents.some(({ disabled }) => disabled) && (
            <PermittedButton
              needs={needs.disable}
              size="compact-sm"
              variant="default"
              loading={busy}
              onClick={() => onAction('enable')}
            >
              Enable documents
            </PermittedButton>
          )}
          <PermittedButton
            needs={needs.delete}
            size="compact-sm"
            color="red"
            variant="outline"
            loading={busy}
            onClick={() => onAction('delete')}
          >
            Delete…
          </PermittedButton>
          <Button size="compact-sm" variant="subtle" onClick={onClear}>
            Clear selection
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}
