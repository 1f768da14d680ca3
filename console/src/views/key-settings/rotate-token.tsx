/** The dialog that rotates an auth token without downtime: it creates a new one, and revokes the old one when it is no
 * longer used. Both are valid in between. */
import { Button, Group, Modal, Stack, Stepper, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ListedAuthToken } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { useLostFocus } from '../../components/feedback/use-lost-focus.ts'
import { ProductionNote } from '../../components/page/environment.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { CopySecret } from '../../components/secrets/copy-secret.tsx'
import { createAuthToken, revokeAuthToken } from '../../queries/keys/keys.ts'
import { useKey } from '../../session/use-session.ts'

export function RotateToken({ token, onClose }: { token: ListedAuthToken; onClose: () => void }) {
  const key = useKey()
  const isPhone = useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false })
  const create = useMutation(createAuthToken)
  const revoke = useMutation({
    ...revokeAuthToken,
    onSuccess: () => {
      notifications.show({ message: 'The old token was revoked.' })
      onClose()
    },
  })
  const { id, name, scopes, expiresAt } = token
  const make = () => create.mutate({ apiKey: key.id, name, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) })
  const made = create.data
  return (
    <Modal
      opened
      onClose={onClose}
      // The new token is shown only once.
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      size="lg"
      title={
        <>
          Rotate <bdi>{name}</bdi>
        </>
      }
    >
      <Stack gap="md">
        <Stepper
          active={made === undefined ? 0 : 1}
          size="xs"
          orientation={isPhone ? 'vertical' : 'horizontal'}
          allowNextStepsSelect={false}
          aria-label="Rotation"
        >
          <Stepper.Step label="Create new token" />
          <Stepper.Step label="Switch over" />
          <Stepper.Step label="Revoke old token" />
        </Stepper>
        {made === undefined ? (
          <>
            <Text size="sm">
              The new token gets the same name, scopes ({scopes.join(', ')}) and expiry. The old token remains valid
              until you revoke it, so no call is refused in between.
            </Text>
            {create.error !== null && <Failure error={create.error} />}
            <Group justify="end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <PermittedButton needs="auth-tokens.create" loading={create.isPending} onClick={make}>
                Create new token
              </PermittedButton>
            </Group>
          </>
        ) : (
          <Created>
            <CopySecret label={`New auth token ${made.name}`} secret={made.token} />
            <Text size="sm">
              Both tokens are valid now. Switch your programs to the new token, then revoke the old one here, or later
              in the list.
            </Text>
            <ProductionNote />
            {revoke.error !== null && <Failure error={revoke.error} />}
            <Group justify="end">
              <Button variant="default" onClick={onClose}>
                Revoke later
              </Button>
              <PermittedButton
                needs="auth-tokens.revoke"
                color="red"
                loading={revoke.isPending}
                onClick={() => revoke.mutate({ apiKey: key.id, authTokenId: id })}
              >
                Revoke old token
              </PermittedButton>
            </Group>
          </Created>
        )}
      </Stack>
    </Modal>
  )
}

/** The button that created the token is gone. */
function Created({ children }: { children: ReactNode }) {
  return (
    <Stack gap="md" {...useLostFocus<HTMLDivElement>()}>
      {children}
    </Stack>
  )
}
