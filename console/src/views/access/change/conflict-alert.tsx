/** Warns that somebody else has changed the same access, with the values before and now. */
import { Alert, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ACCESS_TYPES } from '../../../access-types.ts'
import { formatMoment } from '../../../components/values/times.ts'
import tones from '../../../components/values/tones.module.css'
import type { Grant, State } from './change.ts'
import { Holder } from './principal.tsx'
import { areSameGrants } from './state.ts'

const formatGrant = ({ accessRole, expiresAt }: Grant): string =>
  `${accessRole}${expiresAt === undefined ? '' : ` until ${formatMoment(expiresAt * 1000)}`}`

const formatGrants = (grants: readonly Grant[] = []): string =>
  grants.length === 0 ? 'no grant here' : grants.map(formatGrant).join(' and ')

const formatAccessType = (type: State['accessType']): string => (type ? ACCESS_TYPES[type].label : 'inherited')

export function ConflictAlert({ before, now }: { before: State; now: State }) {
  const changed = Object.keys(now.grants).filter((id) => !areSameGrants(before.grants[id], now.grants[id]))
  const isOtherType = before.accessType !== now.accessType
  return (
    <Alert
      role="alert"
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title="Somebody else changed this"
      classNames={{ title: tones.caution, message: tones.caution }}
    >
      <List size="sm">
        {changed.map((id) => (
          <List.Item key={id}>
            <Holder principal={id} />: was {formatGrants(before.grants[id])}, is now {formatGrants(now.grants[id])}
          </List.Item>
        ))}
        {isOtherType && (
          <List.Item>
            Access type: was {formatAccessType(before.accessType)}, is now {formatAccessType(now.accessType)}
          </List.Item>
        )}
        {changed.length === 0 && !isOtherType && (
          <List.Item>Other grants or access types changed, so the same change now has another effect</List.Item>
        )}
      </List>
      <Text size="sm" mt={4}>
        Nothing was applied. The preview below is up to date.
      </Text>
    </Alert>
  )
}
