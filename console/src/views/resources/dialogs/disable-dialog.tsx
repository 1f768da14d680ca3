/** Confirms that documents are disabled, or enabled again. */
import { Confirmation } from '../../../components/forms/confirmation.tsx'
import { counted, type Resource } from '../resource.ts'

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
    <Confirmation
      needs="documents.disable"
      title={`${verb} ${counted(0, count)}`}
      action={`${verb} ${counted(0, count)}`}
      danger={disabled}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {disabled
        ? 'While they are disabled, nobody has access to them, regardless of grants. The grants are kept, and apply again once the documents are enabled.'
        : 'Everybody who had access before gets it back.'}
      {resources.some(({ type }) => type === 'folder') && ' Folders cannot be disabled: they are not changed.'}
    </Confirmation>
  )
}
