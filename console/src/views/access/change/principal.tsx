/** Users and user groups as one kind of text, by which a state finds the grants of both, and how they are shown. */
import { Text } from '@mantine/core'
import { Person } from '../../../components/people/person.tsx'

/** No id contains control characters. */
const GROUP = '\u0001'

type Holder = { userId: string; groupId?: never } | { groupId: string; userId?: never }

/** Returns the id of a user, or the id of a user group behind a control character. */
export const principalOf = ({ userId = '', groupId }: { userId?: string; groupId?: string }): string =>
  groupId === undefined ? userId : `${GROUP}${groupId}`

/** Returns the user or the user group as calls name them. */
export const holderOf = (principal: string): Holder =>
  principal.startsWith(GROUP) ? { groupId: principal.slice(GROUP.length) } : { userId: principal }

export function Holder({ principal, name }: { principal: string; name?: string | undefined }) {
  const { userId, groupId } = holderOf(principal)
  if (groupId === undefined) return <Person userId={userId} name={name} />
  return (
    <Text span size="sm">
      User group <Person userId={groupId} name={name} />
    </Text>
  )
}
