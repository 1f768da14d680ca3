/** The sign-ins of a user, with revoking. The API does not list tokens; it can only revoke all of them. */
import { Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { GetUserDataResult } from '#sdk/generated/operations.ts'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { NamedId } from '../../components/people/named-id.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { revokeUserTokens } from '../../queries/users/users.ts'
import { useKey } from '../../session/use-session.ts'

interface TokensProps {
  userId: string
  name: string | undefined
  pages: readonly GetUserDataResult[]
}

const SHOWN = 5

export function Tokens({ userId, name, pages }: TokensProps) {
  const [asking, { open: ask, close }] = useDisclosure()
  const revoke = useMutation({
    ...revokeUserTokens(useKey()),
    onSuccess: () => {
      notifications.show({ message: 'All tokens of the user were revoked.', role: 'status' })
      close()
    },
  })
  const events = pages
    .flatMap(({ events }) => events)
    .filter(({ type }) => type.startsWith('user_token.'))
    .toSorted((one, other) => other.changedAt - one.changedAt)
  return (
    <Stack gap="xs" align="start">
      {events.length === 0 && (
        <Text size="sm" c="dimmed">
          No sign-ins on record.
        </Text>
      )}
      {events.slice(0, SHOWN).map(({ type, changedAt }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two events can have the same time
        <Text key={index} size="sm">
          {type === 'user_token.generated' ? 'Signed in' : 'All tokens revoked'} <Timestamp at={changedAt} />
        </Text>
      ))}
      <PermittedButton needs="user-tokens.revoke" variant="default" onClick={ask}>
        Revoke all tokens…
      </PermittedButton>
      {asking && (
        <Confirmation
          needs="user-tokens.revoke"
          title="Revoke all tokens"
          action="Revoke"
          danger
          error={revoke.error}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(userId)}
          onClose={close}
        >
          The next call with any current token of <NamedId id={userId} name={name} /> is refused. Grants are kept, and
          the user can sign in again.
        </Confirmation>
      )}
    </Stack>
  )
}
