/** The dialog that deletes an API key with all its data, confirmed by its name. */
import { notifications } from '@mantine/notifications'
import { IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { Note } from '../../components/feedback/note.tsx'
import { ConfirmByName } from '../../components/forms/confirm-by-name.tsx'
import { deleteApiKey } from '../../queries/keys/keys.ts'
import { deletionOf } from '../../queries/pages/deletion.ts'

interface DeleteKeyProps {
  apiKey: ApiKeySummary
  onDeleted?: () => void
  onClose: () => void
}

export function DeleteKey({ apiKey: { id, apiKeyName }, onDeleted, onClose }: DeleteKeyProps) {
  const remove = useMutation({
    ...deleteApiKey,
    onSuccess: (deletion) => {
      notifications.show({ message: deletionOf(`The API key ${apiKeyName}`, deletion), role: 'status' })
      onClose()
      onDeleted?.()
    },
  })
  return (
    <ConfirmByName
      needs="api-keys.delete"
      title="Delete API key"
      name={apiKeyName}
      apiKey={id}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ apiKey: id, apiKeyName })}
      onClose={onClose}
    >
      <Note tone="danger" Icon={IconTrash} title="This deletes its whole data set.">
        Organizations, folders, documents, users with their groups and permissions, and its tokens. Its events are kept,
        including what they say about users. This cannot be undone.
      </Note>
    </ConfirmByName>
  )
}
