/** An access type: as a badge with where it comes from, or as a line of text. */
import { Badge, Group, Text } from '@mantine/core'
import { IconBuilding, IconLock, IconWorld } from '@tabler/icons-react'
import type { AccessType as Type } from '#sdk/generated/operations.ts'
import { ACCESS_TYPES } from '../../access-types.ts'
import classes from './access-type.module.css'

const ICONS: Record<Type, typeof IconLock> = {
  public: IconWorld,
  organizationPrivate: IconBuilding,
  restricted: IconLock,
}

interface AccessTypeProps {
  type: Type
  /** `set here`, `from Plans`. */
  origin: string
}

export function AccessType({ type, origin }: AccessTypeProps) {
  const { label, meaning } = ACCESS_TYPES[type]
  const Icon = ICONS[type]
  return (
    <Group gap={6} wrap="nowrap" miw={0}>
      <Badge
        className={`${classes.badge} ${classes[type]}`}
        tt="none"
        flex="none"
        title={meaning}
        leftSection={<Icon size={12} aria-hidden />}
      >
        {label}
      </Badge>
      <Text span size="xs" c="dimmed" truncate title={origin} visibleFrom="lg">
        <bdi>{origin}</bdi>
      </Text>
    </Group>
  )
}

/** Below the name of a folder or document in a list on a phone or tablet, which has no room for another column. */
export function AccessTypeText({ type }: Pick<AccessTypeProps, 'type'>) {
  const { label, meaning } = ACCESS_TYPES[type]
  return (
    <Text size="xs" c={type === 'public' ? 'var(--caution-text)' : 'dimmed'} title={meaning} ml={22} hiddenFrom="md">
      {label}
    </Text>
  )
}
