/** Who gets in, in a word, and where that comes from. */
import { Badge, Group, Text } from '@mantine/core'
import { IconBuilding, IconLock, IconWorld } from '@tabler/icons-react'
import type { AccessType as Type } from '#sdk/generated/operations.ts'
import classes from './access-type.module.css'

export const ACCESS_TYPES: Record<Type, { label: string; meaning: string; Icon: typeof IconLock }> = {
  public: { label: 'public', meaning: 'Any user of the API key gets in, as an editor.', Icon: IconWorld },
  organizationPrivate: {
    label: 'organization',
    meaning: 'Members of the organization get in, with their role in it, and whoever has a grant.',
    Icon: IconBuilding,
  },
  restricted: { label: 'restricted', meaning: 'Only users with a grant get in.', Icon: IconLock },
}

interface AccessTypeProps {
  type: Type
  /** `its own`, `from Plans`. */
  origin: string
}

export function AccessType({ type, origin }: AccessTypeProps) {
  const { label, meaning, Icon } = ACCESS_TYPES[type]
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
