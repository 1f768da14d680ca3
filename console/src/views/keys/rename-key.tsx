/** The dialog that renames an API key. */
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { updateApiKey } from '../../queries/keys/keys.ts'

export function RenameKey({ apiKey, onClose }: { apiKey: ApiKeySummary; onClose: () => void }) {
  const form = useForm({
    initialValues: { apiKeyName: apiKey.apiKeyName },
    validate: { apiKeyName: (name) => (name === '' ? 'Enter a name.' : null) },
  })
  const back = useMutation(updateApiKey)
  const rename = useMutation({
    ...updateApiKey,
    onSuccess: (_nothing, { apiKeyName }) => {
      notifyWithUndo(`The API key was renamed to ${apiKeyName}.`, () =>
        back.mutateAsync({ apiKey: apiKey.id, apiKeyName: apiKey.apiKeyName }),
      )
      onClose()
    },
  })
  return (
    <FormDialog
      needs="api-keys.update"
      title="Rename API key"
      apiKey={apiKey.id}
      action="Rename"
      error={rename.error}
      busy={rename.isPending}
      onSubmit={form.onSubmit((values) =>
        form.isDirty() ? rename.mutate({ apiKey: apiKey.id, ...values }) : onClose(),
      )}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="For people only. Calls use the id of the key, which does not change."
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('apiKeyName')}
      />
    </FormDialog>
  )
}
