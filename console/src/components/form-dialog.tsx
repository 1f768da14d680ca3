/** A dialog that asks for something and does it: what it asks, what went wrong, and the two ways out. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Failure } from './failure.tsx'

interface FormDialogProps {
  title: ReactNode
  size?: 'lg'
  /** What the button says that does it. */
  action: ReactNode
  /** It takes something away. */
  danger?: boolean
  /** There is nothing to fill in: the button that does it has the focus. */
  confirms?: boolean
  disabled?: boolean
  busy?: boolean
  /** Why it was not done. */
  error?: Error | null
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onClose: () => void
  children: ReactNode
}

export function FormDialog(props: FormDialogProps) {
  const { title, size, action, danger, confirms, disabled, busy, error = null, onSubmit, onClose, children } = props
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    onSubmit(event)
  }
  return (
    <Modal opened onClose={onClose} title={title} size={size}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {children}
          {error !== null && <Failure error={error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color={danger ? 'red' : undefined}
              data-autofocus={confirms || undefined}
              disabled={disabled}
              loading={busy}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
