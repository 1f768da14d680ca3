/** The user or the user group that holds a grant. */
import { Text } from '@mantine/core'
import { Person } from '../../../components/people/person.tsx'
import { holderOf } from './principal.ts'

export function Holder({ principal, name }: { principal: string; name?: string | undefined }) {
  const { userId, groupId } = holderOf(principal)
  if (groupId === undefined) return <Person userId={userId} name={name} />
  return (
    <Text span size="sm">
      User group <Person userId={groupId} name={name} />
    </Text>
  )
}
