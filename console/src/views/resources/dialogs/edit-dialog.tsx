/** The dialog that changes the fields of a folder or a document; without a name, its id is shown. */
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { FormDialog } from '../../../components/forms/form-dialog.tsx'
import { Id } from '../../../components/values/id.tsx'
import { neededFor, type Resource } from '../resource.ts'
import { changesIn, type Fields, ResourceFields, textsOf, verbOf } from '../resource-fields.tsx'

interface EditDialogProps {
  resource: Resource
  onEdit: (changes: Fields) => void
  onClose: () => void
}

export function EditDialog({ resource: { type, id, fields }, onEdit, onClose }: EditDialogProps) {
  // The fields as they were shown: changes of others meanwhile are not undone.
  const [shown] = useState(fields)
  const form = useForm({ initialValues: textsOf(type, shown) })
  const verb = verbOf(type)
  const submit = form.onSubmit((texts) => {
    const changes = changesIn(texts, shown)
    if (Object.keys(changes).length > 0) onEdit(changes)
    onClose()
  })
  return (
    <FormDialog
      needs={neededFor([{ type }]).edit}
      title={`${verb} ${type}`}
      action={verb === 'Edit' ? 'Save' : verb}
      onSubmit={submit}
      onClose={onClose}
    >
      <ResourceFields
        type={type}
        inputProps={form.getInputProps}
        autoFocus
        description={
          <>
            The id does not change: <Id copy={false}>{id}</Id>
          </>
        }
      />
    </FormDialog>
  )
}
