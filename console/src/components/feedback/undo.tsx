/** Shows a notification about a change, with a button that undoes it for 15 seconds. */
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { notifyFailure } from './failure.tsx'

const UNDO_MS = 15_000

export function notifyWithUndo(text: string, undo: () => Promise<unknown>): void {
  const id = notifications.show({
    autoClose: UNDO_MS,
    role: 'status',
    closeButtonProps: { 'aria-label': 'Close' },
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" component="bdi" style={{ overflowWrap: 'anywhere' }} lineClamp={3}>
          {text}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          onClick={() => {
            notifications.hide(id)
            void undo().then(() => notifications.show({ message: 'Undone.', role: 'status' }), notifyFailure)
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  })
}
