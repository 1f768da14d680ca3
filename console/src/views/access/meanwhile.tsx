/** Somebody else has changed the same thing since: what there was, and what there is now. */
import { Alert, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ACCESS_TYPES } from '../../access-types.ts'
import { Id } from '../../components/id.tsx'
import { type Grant, isSameGrant, type State } from './change.ts'
import classes from './meanwhile.module.css'

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const told = (grant: Grant | null | undefined): string => {
  if (!grant) return 'no grant here'
  const until = grant.expiresAt === undefined ? '' : ` until ${exact.format(grant.expiresAt * 1000)}`
  return `${grant.accessRole}${until}`
}

const typeTold = (type: State['accessType']): string => (type ? ACCESS_TYPES[type].label : 'that of what is above it')

export function Meanwhile({ before, now }: { before: State; now: State }) {
  const changed = Object.keys(now.grants).filter((id) => !isSameGrant(before.grants[id], now.grants[id]))
  const isOtherType = before.accessType !== now.accessType
  return (
    <Alert
      role="alert"
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title="Somebody changed this meanwhile"
      classNames={{ title: classes.text, message: classes.text }}
    >
      <List size="sm">
        {changed.map((id) => (
          <List.Item key={id}>
            <Id copy={false}>{id}</Id>: was {told(before.grants[id])}, is {told(now.grants[id])} now
          </List.Item>
        ))}
        {isOtherType && (
          <List.Item>
            The access type was {typeTold(before.accessType)}, and is {typeTold(now.accessType)} now
          </List.Item>
        )}
        {changed.length === 0 && !isOtherType && (
          <List.Item>Other grants or access types: the same change has another effect now</List.Item>
        )}
      </List>
      <Text size="sm" mt={4}>
        Nothing is applied yet. Below is what the change would do now.
      </Text>
    </Alert>
  )
}
