/** The dialog in which an operator proves again who they are, before they view secrets or delete keys. */
import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Confirmation } from '#sdk/session.ts'
import { FormDialog } from '../components/forms/form-dialog.tsx'
import { passkeysQuery } from '../queries/account/operators.ts'
import { signWithPasskey } from '../session/passkey.ts'
import { consoleCalls } from '../session/session.ts'

export function ConfirmDialog({ onClose }: { onClose: () => void }) {
  const [token, setToken] = useState('')
  const { data } = useQuery(passkeysQuery)
  const confirm = useMutation({
    mutationFn: async (proof: () => Confirmation | Promise<Confirmation>) => consoleCalls.confirm(await proof()),
    onSuccess: () => {
      notifications.show({ message: 'Confirmed for ten minutes.' })
      onClose()
    },
  })
  const hasPasskeys = (data?.passkeys.length ?? 0) > 0
  return (
    <FormDialog
      needs={undefined}
      title="Confirm that it is you"
      action="Confirm with the token"
      error={confirm.error}
      busy={confirm.isPending}
      disabled={token.trim() === ''}
      onSubmit={() => confirm.mutate(() => ({ token: token.trim() }))}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">You can view secrets, delete keys and change roles only within ten minutes of signing in.</Text>
        {hasPasskeys ? (
          <Button onClick={() => confirm.mutate(async () => ({ passkey: await signWithPasskey('confirm') }))}>
            Use a passkey
          </Button>
        ) : (
          <Alert color="gray">Add a passkey in your account to confirm with it, or sign in again with a link.</Alert>
        )}
        <PasswordInput
          label="Workspace token"
          description="If you have one."
          value={token}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show input' }}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </Stack>
    </FormDialog>
  )
}
