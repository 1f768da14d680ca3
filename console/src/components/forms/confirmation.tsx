/** A dialog that says what an action does, and asks for it to be confirmed. */
import { Text } from '@mantine/core'
import { FormDialog, type FormDialogProps } from './form-dialog.tsx'

type ConfirmationProps = Omit<FormDialogProps, 'confirms' | 'size' | 'disabled' | 'onSubmit'> & {
  onConfirm: () => void
}

export function Confirmation({ onConfirm, children, ...dialog }: ConfirmationProps) {
  return (
    <FormDialog {...dialog} confirms onSubmit={onConfirm}>
      <Text size="sm">{children}</Text>
    </FormDialog>
  )
}
