/** Ends one auth token at once. */
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { ConfirmByName } from '../../components/confirm-by-name.tsx'
import { revokeAuthToken, type ShownAuthToken } from '../../queries/keys.ts'
import { useKey } from '../../session/use-session.ts'

export function RevokeToken({ token: { id, name }, onClose }: { token: ShownAuthToken; onClose: () => void }) {
  const key = useKey()
  const revoke = useMutation({
    ...revokeAuthToken,
    onSuccess: () => {
      notifications.show({ message: `The token ${name} is over.` })
      onClose()
    },
  })
  return (
    <ConfirmByName
      title="Revoke the token"
      action="Revoke"
      name={name}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ apiKey: key.id, authTokenId: id })}
      onClose={onClose}
    >
      Every call with it is refused at once, and it cannot be brought back. Rotate it instead where something still uses
      it.
    </ConfirmByName>
  )
}
