/** The id of the user in question, linked to the user's page. */
import { Group } from '@mantine/core'
import { Copy, Id } from '../../components/id.tsx'
import { useKey } from '../../session/use-session.ts'
import { AnchorLink } from '../../shell/links.tsx'

export function UserLink({ userId }: { userId: string }) {
  return (
    <Group gap={4} wrap="nowrap" miw={0}>
      <AnchorLink to="/keys/$apiKey/users/user" params={{ apiKey: useKey().id }} search={{ userId }} miw={24}>
        <Id copy={false}>{userId}</Id>
      </AnchorLink>
      <Copy value={userId} label={`Copy ${userId}`} />
    </Group>
  )
}
