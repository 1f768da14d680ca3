/** The dialog that removes a person from the workspace. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { Operator } from '#sdk/generated/operations.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { removeOperator } from '../../queries/account/operators.ts'

export function RemovePerson({ person, onClose }: { person: Operator; onClose: () => void }) {
  const remove = useMutation({
    ...removeOperator,
    onSuccess: () => {
      notifications.show({ message: `${person.name} was removed.` })
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Remove ${person.name}`}
      action="Remove"
      danger
      confirms
      error={remove.error}
      busy={remove.isPending}
      onSubmit={() => remove.mutate({ operatorId: person.id })}
      onClose={onClose}
    >
      <Text size="sm">
        <bdi>{person.name}</bdi> (<bdi>{person.email}</bdi>) is signed out everywhere at once, and their links and
        passkeys no longer work. Tokens that they created or copied remain valid. Events keep their name.
      </Text>
    </FormDialog>
  )
}
