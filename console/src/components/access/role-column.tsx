/** The column of roles of a list: the expiry is beside the role, and below it in small windows. */
import { useMediaQuery } from '@mantine/hooks'
import type { AccessRole } from '#sdk/generated/operations.ts'
import type { Column } from '../tables/data-table.tsx'
import { ClampedText } from '../values/clamped-text.tsx'
import { Expiry } from '../values/timestamp.tsx'
import { ROLE_COLUMN_PX, RoleBadge } from './role-badge.tsx'

interface Held {
  accessRole?: AccessRole
  /** Unix seconds. */
  expiresAt?: number
}

/** `width` is that of large windows. `isSmall`: the list has only a part of the page, so the expiry is always below. */
export function useRoleColumn(width: number | string, isSmall = false): Column<Held> {
  const isNarrow = useMediaQuery('(min-width: 75em)') === false
  const isBelow = isNarrow || isSmall
  return {
    key: 'role',
    header: 'Role',
    width: isNarrow ? ROLE_COLUMN_PX : width,
    cell: ({ accessRole, expiresAt }) => {
      const endsAt = expiresAt === undefined ? undefined : expiresAt * 1_000
      if (!isBelow || endsAt === undefined) return <RoleBadge role={accessRole} expiresAt={endsAt} />
      return (
        <>
          <RoleBadge role={accessRole} />
          <ClampedText size="xs" c="dimmed">
            <Expiry at={endsAt} />
          </ClampedText>
        </>
      )
    },
  }
}
