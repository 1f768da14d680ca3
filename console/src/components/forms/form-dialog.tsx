/** A dialog with a form: its fields, the error of the last attempt, and buttons to cancel and to submit. */
import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect } from 'react'
import { type Needs, useRefusal } from '../../session/permission.ts'
import { Failure } from '../feedback/failure.tsx'
import { ProductionNote } from '../page/environment.tsx'
import { PermittedFields } from '../permitted/permitted.tsx'
import { Dialog } from './dialog.tsx'
import { useTyped } from './use-typed.ts'

export interface FormDialogProps {
  title: ReactNode
  size?: 'lg'
  /** The label of the submit button. */
  action: ReactNode
  /** The action deletes, or takes access away. */
  danger?: boolean
  /** The API key that a dangerous action affects, if it is not the key in the URL. */
  apiKey?: string | undefined
  /** The form has no fields: the submit button gets the focus, or “Cancel” where it is dangerous. */
  confirms?: boolean
  /** The operations that it calls; undefined if it calls none that a role or a scope is needed for. */
  needs: Needs | undefined
  disabled?: boolean
  busy?: boolean
  /** The error of the last attempt. */
  error?: Error | null
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onClose: () => void
  children: ReactNode
}

export function FormDialog(props: FormDialogProps) {
  const { title, size, action, danger, apiKey, confirms, disabled, busy, error = null } = props
  const { needs, onSubmit, onClose, children } = props
  const isRefused = useRefusal(needs ?? [], { apiKey }) !== undefined
  const typed = useTyped()
  useEffect(() => {
    if (error !== null) typed.unsettle()
  }, [error, typed])
  const submits = {
    type: 'submit' as const,
    color: danger ? 'red' : undefined,
    'data-autofocus': (confirms && !danger) || undefined,
    disabled,
    loading: busy,
  }
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    if (isRefused) return
    typed.settle()
    onSubmit(event)
  }
  function cancel(): void {
    typed.settle()
    onClose()
  }
  return (
    <Dialog typed={typed} onClose={onClose} title={title} size={size}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {danger && <ProductionNote apiKey={apiKey} />}
          <PermittedFields needs={needs} apiKey={apiKey}>
            {children}
          </PermittedFields>
          {/* What is refused says why above. */}
          {error !== null && !isRefused && <Failure error={error} />}
          <Group justify="end">
            {/* A second Enter must not delete. */}
            <Button variant="default" data-autofocus={(confirms && danger) || undefined} onClick={cancel}>
              Cancel
            </Button>
            {!isRefused && <Button {...submits}>{action}</Button>}
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
