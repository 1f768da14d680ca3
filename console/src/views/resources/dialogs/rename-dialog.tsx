/** The dialog that renames a folder or a document; without a name, its id is shown. */
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { FormDialog } from '../../../components/forms/form-dialog.tsx'
import { Id } from '../../../components/values/id.tsx'
import type { Resource } from '../resource.ts'

interface RenameDialogProps {
  resource: Resource
  onRename: (name: string | null) => void
  onClose: () => void
}

export function RenameDialog({ resource, onRename, onClose }: RenameDialogProps) {
  const [name, setName] = useState(resource.name ?? '')
  function submit(): void {
    if (name !== (resource.name ?? '')) onRename(name === '' ? null : name)
    onClose()
  }
  return (
    <FormDialog title={`Rename ${resource.type}`} action="Rename" onSubmit={submit} onClose={onClose}>
      <TextInput
        label="Name"
        description={
          <>
            The id does not change: <Id copy={false}>{resource.id}</Id>
          </>
        }
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </FormDialog>
  )
}
