/** The menu of an organization. */
import { Menu } from '@mantine/core'
import {
  IconBan,
  IconCircleCheck,
  IconListCheck,
  IconMail,
  IconPencil,
  IconTable,
  IconTrash,
  IconUser,
  IconUserPlus,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { OrganizationRecord } from '#sdk/generated/operations.ts'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
import { MenuLink } from '../../links/links.tsx'
import { ACCESS, ACCESS_REVIEW, MATRIX } from '../../links/paths.ts'
import { searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'

interface OrganizationMenuProps {
  organization: OrganizationRecord
  onRename: () => void
  onDisable: () => void
  onDelete: () => void
}

export function OrganizationMenu({ organization, onRename, onDisable, onDelete }: OrganizationMenuProps) {
  const { id, organizationName, disabled } = organization
  const params = { apiKey: useKey().id }
  const navigate = useNavigate()
  const DisableIcon = disabled ? IconCircleCheck : IconBan
  return (
    <RowMenu of={shownName(organizationName, id)}>
      <MenuLink Icon={IconUsers} to={ACCESS} params={params} search={searchOf(id, { type: 'organization', id })}>
        Who has access
      </MenuLink>
      <PermittedItem
        needs="grants.add"
        Icon={IconUserPlus}
        onClick={() =>
          void navigate({
            to: ACCESS,
            params,
            search: { ...searchOf(id, { type: 'organization', id }), giving: true },
          })
        }
      >
        Give access…
      </PermittedItem>
      <MenuLink Icon={IconUser} to="/keys/$apiKey/users" params={params} search={{ organizationId: id }}>
        Members
      </MenuLink>
      <MenuLink Icon={IconUsersGroup} to="/keys/$apiKey/groups" params={params} search={{ organizationId: id }}>
        Groups
      </MenuLink>
      <MenuLink Icon={IconMail} to="/keys/$apiKey/invitations" params={params} search={{ organizationId: id }}>
        Invitations
      </MenuLink>
      <MenuLink Icon={IconTable} to={MATRIX} params={params} search={{ organizationId: id }}>
        Matrix
      </MenuLink>
      <MenuLink Icon={IconListCheck} to={ACCESS_REVIEW} params={params} search={{ organizationId: id }}>
        Access review
      </MenuLink>
      <Menu.Divider />
      <PermittedItem needs="organizations.update" Icon={IconPencil} onClick={onRename}>
        Rename
      </PermittedItem>
      <PermittedItem needs="organizations.disable" Icon={DisableIcon} onClick={onDisable}>
        {disabled ? 'Enable' : 'Disable…'}
      </PermittedItem>
      <Menu.Divider />
      <PermittedItem
        needs="organizations.delete"
        color="var(--mantine-color-error)"
        Icon={IconTrash}
        onClick={onDelete}
      >
        Delete…
      </PermittedItem>
    </RowMenu>
  )
}
