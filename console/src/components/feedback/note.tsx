/** A note about an effect that must not be overlooked: a colour, an icon and a sentence in bold, never a colour alone. */
import { Group, Stack, Text } from '@mantine/core'
import { type Icon, IconAlertTriangle, IconUserMinus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './note.module.css'

const ICONS = { danger: IconUserMinus, caution: IconAlertTriangle }

interface NoteProps {
  /** `danger`: something is revoked or deleted; `caution`: something affects many people. */
  tone: 'danger' | 'caution'
  /** Instead of the icon of the tone. */
  Icon?: Icon
  title: ReactNode
  children?: ReactNode
}

export function Note({ tone, Icon = ICONS[tone], title, children }: NoteProps) {
  return (
    <Group gap="sm" wrap="nowrap" align="start" className={classes[tone]}>
      <Icon size={18} aria-hidden className={classes.icon} />
      <Stack gap={2} miw={0}>
        <Text size="sm" fw={600} component="div">
          {title}
        </Text>
        {children !== undefined && (
          <Text size="sm" component="div">
            {children}
          </Text>
        )}
      </Stack>
    </Group>
  )
}
