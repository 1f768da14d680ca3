/** A role as a colour and a word, because not everybody can see the colour. */
import { Badge } from '@mantine/core'
import { IconClock, IconEye, IconMessage, IconPencil, IconX } from '@tabler/icons-react'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { useNow } from '../../clock.ts'
import { formatWhen } from '../values/times.ts'
import { useTimeFormat } from '../values/timestamp.tsx'
import classes from './role-badge.module.css'

const ICONS = { editor: IconPencil, commenter: IconMessage, viewer: IconEye, none: IconX }

/** The width of a column of roles: with padding, for the longest of them. */
export const ROLE_COLUMN_PX = 124

interface RoleBadgeProps {
  /** Undefined: no access. */
  role: AccessRole | undefined
  /** The user had access before: its loss is marked as such. */
  lost?: boolean
  /** When the role expires, in Unix milliseconds. */
  expiresAt?: number | undefined
  /** The access that remains after the expiry, in words. */
  afterwards?: string | undefined
}

export function RoleBadge({ role, lost = false, expiresAt, afterwards }: RoleBadgeProps) {
  const now = useNow()
  const format = useTimeFormat()
  const isExpired = expiresAt !== undefined && expiresAt <= now
  const kind = (isExpired ? undefined : role) ?? 'none'
  const Icon = ICONS[kind]
  return (
    <Badge
      className={lost ? classes.lost : classes[kind]}
      {...(expiresAt !== undefined && { classNames: { root: classes.root, label: classes.label } })}
      tt="none"
      leftSection={<Icon size={12} aria-hidden />}
    >
      {role ?? kind}
      {isExpired && ' expired'}
      {expiresAt !== undefined && !isExpired && (
        <span className={classes.expiring}>
          <IconClock size={12} aria-hidden /> {format === 'relative' ? 'expires' : 'until'} {formatWhen(expiresAt, now)}
          {afterwards !== undefined && `, then ${afterwards}`}
        </span>
      )}
    </Badge>
  )
}
