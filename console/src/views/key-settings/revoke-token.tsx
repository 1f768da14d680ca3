/** The dialog that revokes one auth token. */
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
      notifications.show({ message: `The token ${name} was revoked.` })
      onClose()
    },
  })
  return (
    <ConfirmByName
      title="Revoke token"
      action="Revoke"
      name={name}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ apiKey: key.id, authTokenId: id })}
      onClose={onClose}
    >
      Calls with this token are refused immediately. This cannot be undone. If a program still uses it, rotate the token
      instead.
    </ConfirmByName>
  )
}
