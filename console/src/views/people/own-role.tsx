/** Confirms that a person gives up their own role: they cannot take it back. */
import { useMutation } from '@tanstack/react-query'
import type { Operator, OperatorRole } from '#sdk/generated/operations.ts'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { updateOperator } from '../../queries/account/operators.ts'
import { labelOf } from './roles.ts'

interface OwnRoleProps {
  person: Operator
  role: OperatorRole
  onClose: () => void
}

export function OwnRole({ person, role, onClose }: OwnRoleProps) {
  const update = useMutation({ ...updateOperator, onSuccess: onClose })
  return (
    <Confirmation
      needs="operators.update"
      title="Change your own role"
      action={`Become ${labelOf(role).toLowerCase()}`}
      danger
      error={update.error}
      busy={update.isPending}
      onConfirm={() => update.mutate({ operatorId: person.id, role })}
      onClose={onClose}
    >
      At once you may do only what the role {labelOf(role).toLowerCase()} allows. To be{' '}
      {labelOf(person.role).toLowerCase()} again, you need somebody else who may give that role.
    </Confirmation>
  )
}
