/** Whether the user is disabled, with disabling and enabling. */
import { Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { NamedId } from '../../components/people/named-id.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { EnabledBadge } from '../../components/values/state-badge.tsx'
import { disableUsers } from '../../queries/users/users.ts'
import { useKey } from '../../session/use-session.ts'

interface AccountStateProps {
  userId: string
  name: string | undefined
  /** Undefined while it is loading. */
  disabled: boolean | undefined
}

export function AccountState({ userId, name, disabled }: AccountStateProps) {
  const key = useKey()
  const [asking, { open: ask, close }] = useDisclosure()
  const undo = useMutation(disableUsers(key))
  const change = useMutation({
    ...disableUsers(key),
    onSuccess: (_, data) => {
      close()
      notifyWithUndo(data.disabled ? 'The user was disabled.' : 'The user was enabled.', () =>
        undo.mutateAsync({ ...data, disabled: !data.disabled }),
      )
    },
  })
  if (disabled === undefined)
    return (
      <Text size="sm" c="dimmed">
        Loading…
      </Text>
    )
  return (
    <Stack gap="xs" align="start">
      <EnabledBadge disabled={disabled} />
      <Text size="sm">
        {disabled
          ? 'Disabled: denied everything in the data set of this key, including public resources. Grants and groups are kept.'
          : 'Grants, groups and access types decide what the user has access to.'}
      </Text>
      {disabled ? (
        <PermittedButton
          needs="users.disable"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate({ userIds: [userId], disabled: false }, { onError: notifyFailure })}
        >
          Enable
        </PermittedButton>
      ) : (
        <PermittedButton needs="users.disable" variant="default" onClick={ask}>
          Disable…
        </PermittedButton>
      )}
      {asking && (
        <Confirmation
          needs="users.disable"
          title="Disable user"
          action="Disable"
          danger
          error={change.error}
          busy={change.isPending}
          onConfirm={() => change.mutate({ userIds: [userId], disabled: true })}
          onClose={() => {
            change.reset()
            close()
          }}
        >
          Blocks all access of <NamedId id={userId} name={name} /> to the data set of this key at once, including public
          resources. User tokens are refused, and the user cannot sign in. Grants and groups are kept: once the user is
          enabled, they count again, but the user has to sign in again.
        </Confirmation>
      )}
    </Stack>
  )
}
