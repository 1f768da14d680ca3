/** The dialog that revokes one token, after its name was typed. */
import { notifications } from '@mantine/notifications'
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Needs } from '../../session/permission.ts'
import { ConfirmByName } from '../forms/confirm-by-name.tsx'

interface RevokeTokenProps<Data> {
  needs: Needs
  name: string
  revoke: UseMutationOptions<void, Error, Data>
  data: Data
  /** Explains what stops working. */
  children: ReactNode
  onClose: () => void
}

export function RevokeToken<Data>({ name, needs, revoke, data, children, onClose }: RevokeTokenProps<Data>) {
  const revoking = useMutation({
    ...revoke,
    onSuccess: () => {
      notifications.show({ message: `The token ${name} was revoked.` })
      onClose()
    },
  })
  return (
    <ConfirmByName
      title="Revoke token"
      needs={needs}
      action="Revoke"
      name={name}
      busy={revoking.isPending}
      error={revoking.error}
      onConfirm={() => revoking.mutate(data)}
      onClose={onClose}
    >
      {children}
    </ConfirmByName>
  )
}
