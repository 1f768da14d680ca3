/** What can be done about one user's access to a resource. */
import { ActionIcon, Menu } from '@mantine/core'
import { IconDots, IconHelp, IconPencil, IconTrash, IconUserPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { PermittedUser } from '../../queries/people.ts'
import { searchOf } from '../../resource.ts'
import { type Grant, grantOf, type Place } from './change.ts'
import type { Begun } from './change-dialog.tsx'

/** The grant that stands on the resource itself. */
export const ownGrant = ({ reason, via, accessRole, expiresAt }: PermittedUser): Grant | null =>
  reason === 'grant' && via?.inherited === false && accessRole !== undefined
    ? grantOf({ accessRole, ...(expiresAt === undefined ? {} : { expiresAt }) })
    : null

interface PersonMenuProps {
  place: Place
  user: PermittedUser
  onBegin: (begun: Begun) => void
}

export function PersonMenu({ place, user, onBegin }: PersonMenuProps) {
  const navigate = useNavigate()
  const { userId, name } = user
  const grant = ownGrant(user)
  const why = () =>
    navigate({
      to: '/keys/$apiKey/why',
      params: { apiKey: place.key.id },
      search: { ...searchOf(place.organizationId, place.resource), userId },
    })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${userId}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconHelp size={16} aria-hidden />} onClick={why}>
          Why?
        </Menu.Item>
        {grant === null ? (
          <Menu.Item
            leftSection={<IconUserPlus size={16} aria-hidden />}
            onClick={() => onBegin({ kind: 'give', userIds: [userId] })}
          >
            Give a grant here
          </Menu.Item>
        ) : (
          <>
            <Menu.Item
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => onBegin({ kind: 'edit', userId, name, grant })}
            >
              Change role or end
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => onBegin({ kind: 'take', grants: { [userId]: grant } })}
            >
              Take the grant away
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
