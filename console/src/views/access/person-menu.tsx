/** The menu of a user in the list of users with access to a resource. */
import { Menu } from '@mantine/core'
import { IconHelpCircle, IconUser, IconUserMinus, IconUserPlus, IconUsersGroup } from '@tabler/icons-react'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
import { MenuLink } from '../../links/links.tsx'
import { WHY } from '../../links/paths.ts'
import type { PermittedUser } from '../../queries/access/people.ts'
import { searchOf } from '../../resource.ts'
import { shownName } from '../../shown-name.ts'
import type { Place } from './change/change.ts'
import type { PendingChange } from './change/change-dialog.tsx'
import { GrantItems } from './grant-items.tsx'

interface PersonMenuProps {
  place: Place
  user: PermittedUser
  onStart: (pending: PendingChange) => void
  /** Removes the user from the organization with all grants in it. */
  onRemove: () => void
}

export function PersonMenu({ place, user, onStart, onRemove }: PersonMenuProps) {
  const { userId, name, grants = [], via, groupName } = user
  const params = { apiKey: place.key.id }
  const why = { ...searchOf(place.organizationId, place.resource), userId }
  return (
    <RowMenu of={shownName(name, userId)}>
      <MenuLink Icon={IconHelpCircle} to={WHY} params={params} search={why}>
        Why
      </MenuLink>
      <MenuLink Icon={IconUser} to="/keys/$apiKey/users/user" params={params} search={{ userId }}>
        View user
      </MenuLink>
      {via?.group !== undefined && (
        <>
          <Menu.Label>
            Has access by group <bdi>{shownName(groupName, via.group)}</bdi>
          </Menu.Label>
          <MenuLink
            Icon={IconUsersGroup}
            to="/keys/$apiKey/groups"
            params={params}
            search={{ organizationId: place.organizationId, groupId: via.group }}
          >
            View group
          </MenuLink>
        </>
      )}
      <Menu.Divider />
      {grants.length === 0 ? (
        <PermittedItem
          needs="grants.add"
          Icon={IconUserPlus}
          onClick={() => onStart({ kind: 'give', principals: [userId] })}
        >
          Give access here
        </PermittedItem>
      ) : (
        <GrantItems principal={userId} name={name} grants={grants} onStart={onStart} />
      )}
      {place.resource.type === 'organization' && (
        <PermittedItem needs="users.delete" color="var(--mantine-color-error)" Icon={IconUserMinus} onClick={onRemove}>
          Remove from organization…
        </PermittedItem>
      )}
    </RowMenu>
  )
}
