/** Confirms that an invitation is withdrawn. */
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { Invitation } from '#sdk/generated/operations.ts'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { withdrawInvitation } from '../../queries/users/invitations.ts'
import { useKey } from '../../session/use-session.ts'

export function WithdrawInvitation({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const withdraw = useMutation({
    ...withdrawInvitation(useKey()),
    onSuccess: ({ wasPending }) => {
      const message = wasPending
        ? 'The invitation was withdrawn.'
        : 'The invitation was no longer pending: it had been answered or withdrawn.'
      notifications.show({ message, role: 'status' })
      onClose()
    },
  })
  return (
    <Confirmation
      needs="invitations.respond"
      title="Withdraw the invitation"
      action="Withdraw"
      danger
      error={withdraw.error}
      busy={withdraw.isPending}
      onConfirm={() => withdraw.mutate(invitation)}
      onClose={onClose}
    >
      <bdi>{invitation.email}</bdi> can no longer accept it. A mail that was sent stays with the person; you can invite
      them again.
    </Confirmation>
  )
}
