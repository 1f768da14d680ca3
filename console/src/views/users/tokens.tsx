/** The tokens that a user signed in with. The API does not list them: it ends all of them at once. */
import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { GetUserDataResult } from '#sdk/generated/operations.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Id } from '../../components/id.tsx'
import { When } from '../../components/when.tsx'
import { revokeUserTokens } from '../../queries/users.ts'
import { useKey } from '../../session/use-session.ts'

interface TokensProps {
  userId: string
  pages: readonly GetUserDataResult[]
}

const SHOWN = 5

export function Tokens({ userId, pages }: TokensProps) {
  const [asking, { open: ask, close }] = useDisclosure()
  const revoke = useMutation({
    ...revokeUserTokens(useKey()),
    onSuccess: () => {
      notifications.show({ message: 'Every token of the user has ended.', role: 'status' })
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
          No sign-in is on record.
        </Text>
      )}
      {events.slice(0, SHOWN).map(({ type, changedAt }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may be of the same moment
        <Text key={index} size="sm">
          {type === 'user_token.generated' ? 'Signed in' : 'All tokens revoked'} <When at={changedAt} />
        </Text>
      ))}
      <Button variant="default" onClick={ask}>
        Revoke all tokens…
      </Button>
      {asking && (
        <FormDialog
          title="Revoke all tokens"
          action="Revoke"
          danger
          confirms
          error={revoke.error}
          busy={revoke.isPending}
          onSubmit={() => revoke.mutate(userId)}
          onClose={close}
        >
          <Text size="sm">
            Every token that <Id copy={false}>{userId}</Id> has now ends with the next call that is made with it. Grants
            stay, and the user can sign in again.
          </Text>
        </FormDialog>
      )}
    </Stack>
  )
}
