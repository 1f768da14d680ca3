/** The dialog of the selected action, for one or many rows. */
import { Confirmation } from '../../../components/forms/confirmation.tsx'
import { counted, type Resource } from '../resource.ts'
import type { Changes } from '../use-changes.ts'
import { AccessDialog } from './access-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'
import { ResourceForm } from './resource-form.tsx'

export type ResourceDialog =
  | { what: 'add'; type: 'folder' | 'document'; parentId: string }
  | { what: 'edit' | 'move' | 'access' | 'disable' | 'enable' | 'delete'; resources: readonly Resource[] }

interface ResourceDialogsProps {
  organizationId: string
  organizationName: string
  dialog: ResourceDialog
  changes: Changes
  onDeleted: (resources: readonly Resource[]) => void
  onClose: () => void
}

export function ResourceDialogs(props: ResourceDialogsProps) {
  const { organizationId, organizationName, dialog, changes, onDeleted, onClose } = props
  if (dialog.what === 'add')
    return (
      <ResourceForm organizationId={organizationId} type={dialog.type} parentId={dialog.parentId} onClose={onClose} />
    )
  const { what, resources } = dialog
  const [first] = resources
  const shared = { organizationId, resources, onClose }
  switch (what) {
    case 'edit':
      return first === undefined ? null : (
        <EditDialog resource={first} onEdit={(fields) => changes.edit(first, fields)} onClose={onClose} />
      )
    case 'move':
      return <MoveDialog {...shared} organizationName={organizationName} onMove={(to) => changes.move(resources, to)} />
    case 'access':
      return <AccessDialog {...shared} onSet={(accessType) => changes.setAccess(resources, accessType)} />
    case 'delete':
      return <DeleteDialog {...shared} onDeleted={() => onDeleted(resources)} />
    default:
      return (
        <DisableDialog
          resources={resources}
          disabled={what === 'disable'}
          onConfirm={() => {
            changes.disable(resources, what === 'disable')
            onClose()
          }}
          onClose={onClose}
        />
      )
  }
}

/** Confirms that documents are disabled, or enabled again. */
interface DisableDialogProps {
  resources: readonly Resource[]
  disabled: boolean
  onConfirm: () => void
  onClose: () => void
}

function DisableDialog({ resources, disabled, onConfirm, onClose }: DisableDialogProps) {
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
