/** The dialog that removes a person from the workspace. */
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { Operator } from '#sdk/generated/operations.ts'
import { Confirmation } from '../../components/forms/confirmation.tsx'
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
    <Confirmation
      needs="operators.remove"
      title={`Remove ${person.name}`}
      action="Remove"
      danger
      error={remove.error}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ operatorId: person.id })}
      onClose={onClose}
    >
      <bdi>{person.name}</bdi> (<bdi>{person.email}</bdi>) is signed out everywhere at once, and their links and
      passkeys no longer work. Tokens that they created or copied remain valid. Events keep their name.
    </Confirmation>
  )
}
