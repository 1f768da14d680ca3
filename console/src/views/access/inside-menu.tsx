/** The menu of a user who has access to something inside a folder or organization, but not to it itself. */
import { Menu } from '@mantine/core'
import { IconHelpCircle, IconUser, IconUserPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
import { MenuLink } from '../../links/links.tsx'
import { ACCESS, WHY } from '../../links/paths.ts'
import type { PermittedUser } from '../../queries/access/people.ts'
import type { ResourceSearch } from '../../resource.ts'
import { shownName } from '../../shown-name.ts'

interface InsideMenuProps {
  apiKey: string
  about: ResourceSearch
  user: Pick<PermittedUser, 'userId' | 'name'>
}

export function InsideMenu({ apiKey, about, user: { userId, name } }: InsideMenuProps) {
  const navigate = useNavigate()
  const params = { apiKey }
  return (
    <RowMenu of={shownName(name, userId)}>
      <MenuLink Icon={IconHelpCircle} to={WHY} params={params} search={{ ...about, userId }}>
        Why not the {about.type}
      </MenuLink>
      <MenuLink Icon={IconUser} to="/keys/$apiKey/users/user" params={params} search={{ userId }}>
        View user
      </MenuLink>
      <Menu.Divider />
      <PermittedItem
        needs="grants.add"
        Icon={IconUserPlus}
        onClick={() => void navigate({ to: ACCESS, params, search: { ...about, give: userId } })}
      >
        Give access to the {about.type}…
      </PermittedItem>
    </RowMenu>
  )
}
