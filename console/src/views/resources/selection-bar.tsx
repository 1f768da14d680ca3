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
  const actions: [action: BulkAction, label: string][] = [
    ['move', 'Move…'],
    ['access', 'Access type…'],
  ]
  if (documents.some(({ disabled }) => !disabled)) actions.push(['disable', 'Disable documents'])
  if (documents.some(({ disabled }) => disabled)) actions.push(['enable', 'Enable documents'])
  actions.push(['delete', 'Delete…'])
  return (
    <Paper withBorder p="xs" component="section" aria-label="Selection">
      <Group gap="xs" justify="space-between">
        <Text size="sm" role="status" fw={600}>
          {counted(folderIds.length, documentIds.length)} selected
        </Text>
        <Group gap="xs">
          {actions.map(([action, label]) => (
            <PermittedButton
              key={action}
              needs={needs[action === 'enable' ? 'disable' : action]}
              size="compact-sm"
              {...(action === 'delete' ? { color: 'red', variant: 'outline' } : { variant: 'default' })}
              loading={busy}
              onClick={() => onAction(action)}
            >
              {label}
            </PermittedButton>
          ))}
          <Button size="compact-sm" variant="subtle" onClick={onClear}>
            Clear selection
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}
