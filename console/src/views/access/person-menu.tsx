/** The menu of a user in the list of those with access to a resource. */
import { ActionIcon, Menu } from '@mantine/core'
import {
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
import { type Grant, grantOf, type Place } from './change.ts'
import type { PendingChange } from './change-dialog.tsx'

/** Returns the user's grant on the resource itself. */
export const ownGrant = ({ reason, via, accessRole, expiresAt }: PermittedUser): Grant | null =>
  reason === 'grant' && via?.inherited === false && accessRole !== undefined
    ? grantOf({ accessRole, ...(expiresAt === undefined ? {} : { expiresAt }) })
    : null

interface PersonMenuProps {
  place: Place
  user: PermittedUser
  onStart: (pending: PendingChange) => void
  /** Removes the user from the organization with all grants in it. */
  onRemove: () => void
}

export function PersonMenu({ place, user, onStart, onRemove }: PersonMenuProps) {
  const { userId, name } = user
  const grant = ownGrant(user)
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
        {grant === null ? (
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
              onClick={() => onStart({ kind: 'edit', userId, name, grant })}
            >
              Change role or expiry
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => onStart({ kind: 'revoke', grants: { [userId]: grant } })}
            >
              Revoke grant
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
