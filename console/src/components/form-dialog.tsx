/** A dialog with a form: its fields, the error of the last attempt, and buttons to cancel and to submit. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Failure } from './failure.tsx'

interface FormDialogProps {
  title: ReactNode
  size?: 'lg'
  /** The label of the submit button. */
  action: ReactNode
  /** The action is destructive. */
  danger?: boolean
  /** The form has no fields: the submit button gets the focus. */
  confirms?: boolean
  disabled?: boolean
  busy?: boolean
  /** The error of the last attempt. */
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
