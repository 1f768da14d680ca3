/** Gives an API key another name. */
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { updateApiKey } from '../../queries/keys.ts'

export function RenameKey({ apiKey, onClose }: { apiKey: ApiKeySummary; onClose: () => void }) {
  const form = useForm({
    initialValues: { apiKeyName: apiKey.apiKeyName },
    validate: { apiKeyName: (name) => (name === '' ? 'Enter a name.' : null) },
  })
  const rename = useMutation({
    ...updateApiKey,
    onSuccess: () => {
      notifications.show({ message: 'The key is renamed.' })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Rename the key"
      action="Rename"
      error={rename.error}
      busy={rename.isPending}
      onSubmit={form.onSubmit((values) => rename.mutate({ apiKey: apiKey.id, ...values }))}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="For people. Calls name the key by its id, which stays."
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('apiKeyName')}
      />
    </FormDialog>
  )
}
