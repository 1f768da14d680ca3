/** The menu of a user in the list of those with access to a resource. */
import { ActionIcon, Menu } from '@mantine/core'
import {
  IconClockPlus,
  IconDots,
  IconHelpCircle,
  IconPencil,
  IconTrash,
  IconUser,
  IconUserMinus,
  IconUserPlus,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { PermittedUser } from '../../queries/people.ts'
import { searchOf } from '../../resource.ts'
import { WHY } from '../../shell/paths.ts'
import type { Place } from './change.ts'
import type { PendingChange } from './change-dialog.tsx'

interface PersonMenuProps {
  place: Place
  user: PermittedUser
  onStart: (pending: PendingChange) => void
  /** Removes the user from the organization with all grants in it. */
  onRemove: () => void
}

export function PersonMenu({ place, user, onStart, onRemove }: PersonMenuProps) {
  const { userId, name, grants = [] } = user
  const standing = grants.find(({ expiresAt }) => expiresAt === undefined)
  const params = { apiKey: place.key.id }
  const why = { ...searchOf(place.organizationId, place.resource), userId }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${userId}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconHelpCircle size={16} aria-hidden />}
          renderRoot={(props) => <Link {...props} to={WHY} params={params} search={why} />}
        >
          Why
        </Menu.Item>
        <Menu.Item
          leftSection={<IconUser size={16} aria-hidden />}
          renderRoot={(props) => <Link {...props} to="/keys/$apiKey/users/user" params={params} search={{ userId }} />}
        >
          View user
        </Menu.Item>
        <Menu.Divider />
        {grants.length === 0 ? (
          <Menu.Item
            leftSection={<IconUserPlus size={16} aria-hidden />}
            onClick={() => onStart({ kind: 'give', userIds: [userId] })}
          >
            Give access here
          </Menu.Item>
        ) : (
          <>
            <Menu.Item
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => onStart({ kind: 'edit', userId, name, grants })}
            >
              Change role or set an end
            </Menu.Item>
            {standing !== undefined && (
              <Menu.Item
                leftSection={<IconClockPlus size={16} aria-hidden />}
                onClick={() => onStart({ kind: 'lend', userId, name, grants })}
              >
                Give a role temporarily
              </Menu.Item>
            )}
            <Menu.Divider />
            <Menu.Item
              color="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => onStart({ kind: 'revoke', grants: { [userId]: grants } })}
            >
              Revoke {grants.length === 1 ? 'grant' : 'both grants'}
            </Menu.Item>
          </>
        )}
        {place.resource.type === 'organization' && (
          <Menu.Item
            color="var(--mantine-color-error)"
            leftSection={<IconUserMinus size={16} aria-hidden />}
            onClick={onRemove}
          >
            Remove from organization…
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
