/** The dialog that adds a folder or a document. */
import { Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { AccessType } from '#sdk/generated/operations.ts'
import { accessTypes } from '../../../access-types.ts'
import { FormDialog } from '../../../components/forms/form-dialog.tsx'
import { IdField } from '../../../components/forms/id-field.tsx'
import { addDocuments, addFolders } from '../../../queries/resources/resources.ts'
import { useKey } from '../../../session/use-session.ts'

interface ResourceFormProps {
  organizationId: string
  type: 'folder' | 'document'
  /** The parent folder, or `root`. */
  parentId: string
  onClose: () => void
}

const FOLLOWS = 'follows'

export function ResourceForm({ organizationId, type, parentId, onClose }: ResourceFormProps) {
  const key = useKey()
  const form = useForm({
    initialValues: { id: '', name: '', access: FOLLOWS },
    validate: { id: (id) => (id === '' ? 'Enter an id.' : null) },
  })
  function onSuccess(): void {
    notifications.show({ message: `The ${type} was added.`, role: 'status' })
    onClose()
  }
  const folder = useMutation({ ...addFolders(key), onSuccess })
  const document = useMutation({ ...addDocuments(key), onSuccess })
  const { error, isPending } = type === 'folder' ? folder : document

  const submit = form.onSubmit(({ id, name, access }) => {
    const own = access === FOLLOWS ? {} : { accessType: access as AccessType }
    if (type === 'folder') {
      const added = { folderId: id, ...(name === '' ? {} : { folderName: name }), ...own, parentFolderId: parentId }
      folder.mutate({ organizationId, folders: [added] })
    } else {
      const added = { documentId: id, ...(name === '' ? {} : { documentName: name }), ...own }
      document.mutate({ organizationId, folderId: parentId, documents: [added] })
    }
  })
  return (
    <FormDialog title={`Add ${type}`} action="Add" error={error} busy={isPending} onSubmit={submit} onClose={onClose}>
      <IdField {...form.getInputProps('id')} />
      <TextInput label="Name" autoComplete="off" {...form.getInputProps('name')} />
      <Radio.Group label="Access type" {...form.getInputProps('access')}>
        <Stack gap="xs" mt={4}>
          <Radio value={FOLLOWS} label="Inherit" />
          {accessTypes.map(([value, { label, meaning }]) => (
            <Radio key={value} value={value} label={label} description={meaning} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  )
}
