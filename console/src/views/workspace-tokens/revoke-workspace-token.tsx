/** The dialog that revokes one token of the workspace. */
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { WorkspaceToken } from '#sdk/generated/operations.ts'
import { ConfirmByName } from '../../components/confirm-by-name.tsx'
import { revokeWorkspaceToken } from '../../queries/workspace-tokens.ts'

interface RevokeWorkspaceTokenProps {
  token: WorkspaceToken
  onClose: () => void
}

export function RevokeWorkspaceToken({ token: { id, name, current }, onClose }: RevokeWorkspaceTokenProps) {
  const revoke = useMutation({
    ...revokeWorkspaceToken,
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
      onConfirm={() => revoke.mutate({ tokenId: id })}
      onClose={onClose}
    >
      Calls with this token are refused immediately, and its console sessions end
      {current ? ', including this one' : ''}. This cannot be undone.
    </ConfirmByName>
  )
}
