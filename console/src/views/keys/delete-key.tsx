/** Deletes an API key with everything in it, once its name was typed. */
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { ConfirmByName } from '../../components/confirm-by-name.tsx'
import { deleteApiKey } from '../../queries/keys.ts'

interface DeleteKeyProps {
  apiKey: ApiKeySummary
  onDeleted?: () => void
  onClose: () => void
}

export function DeleteKey({ apiKey: { id, apiKeyName }, onDeleted, onClose }: DeleteKeyProps) {
  const remove = useMutation({
    ...deleteApiKey,
    onSuccess: () => {
      notifications.show({ message: `The key ${apiKeyName} is deleted.` })
      onClose()
      onDeleted?.()
    },
  })
  return (
    <ConfirmByName
      title="Delete the key"
      name={apiKeyName}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ apiKey: id, apiKeyName })}
      onClose={onClose}
    >
      Everything in its data set goes with it: organizations, folders, documents, users, their groups and permissions,
      and its tokens. Its events stay, with what they say of users. This cannot be undone.
    </ConfirmByName>
  )
}
