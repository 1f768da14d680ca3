/** The user in question: the name, linked to the user's page, and the id. */
import { Group, Text } from '@mantine/core'
import { AnchorLink } from '../../links/links.tsx'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { Copy, Id } from '../values/id.tsx'

interface UserLinkProps {
  userId: string
  /** Undefined for a user without a name. */
  name: string | undefined
}

export function UserLink({ userId, name }: UserLinkProps) {
  const shown = shownName(name, userId)
  return (
    <Group gap={4} miw={0} style={{ rowGap: 0 }}>
      <AnchorLink inherit to="/keys/$apiKey/users/user" params={{ apiKey: useKey().id }} search={{ userId }} miw={24}>
        {shown === userId ? <Id copy={false}>{userId}</Id> : <bdi>{shown}</bdi>}
      </AnchorLink>
      {shown !== userId && (
        <Text span size="xs" c="dimmed" miw={0}>
          <Id copy={false}>{userId}</Id>
        </Text>
      )}
      <Copy value={userId} label={`Copy ${userId}`} />
    </Group>
  )
}
