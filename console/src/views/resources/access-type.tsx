/** An access type as a badge, with where it comes from. */
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
      <Text span size="xs" c="dimmed" truncate title={origin} visibleFrom="sm">
        <bdi>{origin}</bdi>
      </Text>
    </Group>
  )
}
