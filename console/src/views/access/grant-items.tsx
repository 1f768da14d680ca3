/** The items of a menu that change the grants of one user or user group on a resource. */
import { Menu } from '@mantine/core'
import { IconClockPlus, IconPencil, IconTrash } from '@tabler/icons-react'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import type { Grant } from './change/change.ts'
import type { PendingChange } from './change/change-dialog.tsx'

interface GrantItemsProps {
  principal: string
  name: string | undefined
  /** The active grants on the resource itself: one or two. */
  grants: readonly Grant[]
  onStart: (pending: PendingChange) => void
}

export function GrantItems({ principal, name, grants, onStart }: GrantItemsProps) {
  const standing = grants.find(({ expiresAt }) => expiresAt === undefined)
  return (
    <>
      <PermittedItem
        needs="grants.add"
        Icon={IconPencil}
        onClick={() => onStart({ kind: 'edit', principal, name, grants })}
      >
        Change role or set an end
      </PermittedItem>
      {standing !== undefined && (
        <PermittedItem
          needs="grants.add"
          Icon={IconClockPlus}
          onClick={() => onStart({ kind: 'lend', principal, name, grants })}
        >
          Give a role temporarily
        </PermittedItem>
      )}
      <Menu.Divider />
      <PermittedItem
        needs="permissions.remove"
        color="var(--mantine-color-error)"
        Icon={IconTrash}
        onClick={() => onStart({ kind: 'revoke', grants: { [principal]: grants } })}
      >
        Revoke {grants.length === 1 ? 'grant' : 'both grants'}
      </PermittedItem>
    </>
  )
}
