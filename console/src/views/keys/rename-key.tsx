/** Gives an API key another name. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/failure.tsx'
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
    <Modal opened onClose={onClose} title="Rename the key" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={form.onSubmit((values) => rename.mutate({ apiKey: apiKey.id, ...values }))} noValidate>
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="For people. Calls name the key by its id, which stays."
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('apiKeyName')}
          />
          {rename.error !== null && <Failure error={rename.error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isPending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
