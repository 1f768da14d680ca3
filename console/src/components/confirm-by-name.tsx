/** Asks before something is deleted for good: one types its name, so that it is the right one. */
import { Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { FormDialog } from './form-dialog.tsx'
import { Id } from './id.tsx'

interface ConfirmByNameProps {
  /** `Delete the organization` */
  title: string
  /** What has to be typed: the name that people know it by. */
  name: string
  /** What goes with it. */
  children: ReactNode
  /** What the button says. */
  action?: string
  busy: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmByName(props: ConfirmByNameProps) {
  const { title, name, children, action = 'Delete', busy, error, onConfirm, onClose } = props
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)
  function submit(): void {
    if (typed === name) onConfirm()
    else setWrong(true)
  }
  return (
    <FormDialog title={title} action={action} error={error} busy={busy} danger onSubmit={submit} onClose={onClose}>
      <Text size="sm" component="div">
        {children}
      </Text>
      <TextInput
        label={
          <>
            Type <Id copy={false}>{name}</Id> to go on
          </>
        }
        value={typed}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        error={wrong && typed !== name ? 'This is not the name.' : undefined}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </FormDialog>
  )
}
