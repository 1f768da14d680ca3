/** The dialog that adds a folder or a document. */
import { Radio, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { AccessType } from '#sdk/generated/operations.ts'
import { accessTypes } from '../../../access-types.ts'
import { FormDialog } from '../../../components/forms/form-dialog.tsx'
import { IdField } from '../../../components/forms/id-field.tsx'
import { addDocuments, addFolders } from '../../../queries/resources/resources.ts'
import { useKey } from '../../../session/use-session.ts'
import { changesIn, ResourceFields, textsOf } from '../resource-fields.tsx'

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
    initialValues: { id: '', fields: textsOf(type, {}), access: FOLLOWS },
    validate: { id: (id) => (id === '' ? 'Enter an id.' : null) },
  })
  function onSuccess(): void {
    notifications.show({ message: `The ${type} was added.`, role: 'status' })
    onClose()
  }
  const folder = useMutation({ ...addFolders(key), onSuccess })
  const document = useMutation({ ...addDocuments(key), onSuccess })
  const { error, isPending } = type === 'folder' ? folder : document

  const submit = form.onSubmit(({ id, fields, access }) => {
    const own = access === FOLLOWS ? {} : { accessType: access as AccessType }
    const given = { ...changesIn(fields, {}), ...own }
    if (type === 'folder') {
      folder.mutate({ organizationId, folders: [{ folderId: id, ...given, parentFolderId: parentId }] })
    } else {
      document.mutate({ organizationId, folderId: parentId, documents: [{ documentId: id, ...given }] })
    }
  })
  return (
    <FormDialog
      needs={`${type}s.add`}
      title={`Add ${type}`}
      action="Add"
      error={error}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <IdField {...form.getInputProps('id')} />
      <ResourceFields type={type} inputProps={(name) => form.getInputProps(`fields.${name}`)} />
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
