/** Takes one token to another secret without a gap: a new one is made, both are valid, and the old one is ended when nothing uses it. */
import { Button, Group, Modal, Stack, Stepper, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { CopySecret } from '../../components/copy-secret.tsx'
import { Failure } from '../../components/failure.tsx'
import { createAuthToken, revokeAuthToken, type ShownAuthToken } from '../../queries/keys.ts'
import { useKey } from '../../session/use-session.ts'

export function RotateToken({ token, onClose }: { token: ShownAuthToken; onClose: () => void }) {
  const key = useKey()
  const create = useMutation(createAuthToken)
  const revoke = useMutation({
    ...revokeAuthToken,
    onSuccess: () => {
      notifications.show({ message: 'The old token is over.' })
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
      closeOnClickOutside={made === undefined}
      size="lg"
      title={
        <>
          Rotate <bdi>{name}</bdi>
        </>
      }
    >
      <Stack gap="md">
        <Stepper active={made === undefined ? 0 : 1} size="xs" allowNextStepsSelect={false} aria-label="Rotation">
          <Stepper.Step label="Make the new one" />
          <Stepper.Step label="Change over" />
          <Stepper.Step label="Revoke the old one" />
        </Stepper>
        {made === undefined ? (
          <>
            <Text size="sm">
              A new token gets the same name, scopes ({scopes.join(', ')}) and end. The old one stays valid until you
              revoke it, so nothing is refused meanwhile.
            </Text>
            {create.error !== null && <Failure error={create.error} />}
            <Group justify="end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button loading={create.isPending} onClick={make}>
                Make the new token
              </Button>
            </Group>
          </>
        ) : (
          <>
            <CopySecret label={`New auth token ${made.name}`} secret={made.token} />
            <Text size="sm">
              Both are valid now. Give the new one to what uses the old one; then revoke the old one here, or later in
              the list.
            </Text>
            {revoke.error !== null && <Failure error={revoke.error} />}
            <Group justify="end">
              <Button variant="default" onClick={onClose}>
                Revoke it later
              </Button>
              <Button
                color="red"
                loading={revoke.isPending}
                onClick={() => revoke.mutate({ apiKey: key.id, authTokenId: id })}
              >
                Revoke the old token
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  )
}
