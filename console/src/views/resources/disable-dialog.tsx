/** Asks before many documents are disabled, or enabled again. */
import { Text } from '@mantine/core'
import { FormDialog } from '../../components/form-dialog.tsx'
import { counted, type Resource } from './resource.ts'

interface DisableDialogProps {
  resources: readonly Resource[]
  disabled: boolean
  onConfirm: () => void
  onClose: () => void
}

export function DisableDialog({ resources, disabled, onConfirm, onClose }: DisableDialogProps) {
  const count = resources.filter((resource) => resource.type === 'document' && resource.disabled !== disabled).length
  const verb = disabled ? 'Disable' : 'Enable'
  return (
    <FormDialog
      title={`${verb} ${counted(0, count)}`}
      action={`${verb} ${counted(0, count)}`}
      confirms
      onSubmit={() => {
        onConfirm()
        onClose()
      }}
      onClose={onClose}
    >
      <Text size="sm">
        {disabled
          ? 'Nobody has access to them then, whatever was granted. The grants stay, and count again when they are enabled.'
          : 'Whoever had access to them has it again.'}
        {resources.some(({ type }) => type === 'folder') && ' Folders cannot be disabled: they stay as they are.'}
      </Text>
    </FormDialog>
  )
}
