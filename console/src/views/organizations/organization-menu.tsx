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
import { Link, useNavigate } from '@tanstack/react-router'
import type { OrganizationRecord } from '#sdk/generated/operations.ts'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
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
      <Menu.Item
        leftSection={<IconUsers size={16} aria-hidden />}
        renderRoot={(props) => (
          <Link {...props} to={ACCESS} params={params} search={searchOf(id, { type: 'organization', id })} />
        )}
      >
        Who has access
      </Menu.Item>
      <PermittedItem
        needs="grants.add"
        leftSection={<IconUserPlus size={16} aria-hidden />}
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
      <Menu.Item
        leftSection={<IconUser size={16} aria-hidden />}
        renderRoot={(props) => (
          <Link {...props} to="/keys/$apiKey/users" params={params} search={{ organizationId: id }} />
        )}
      >
        Members
      </Menu.Item>
      <Menu.Item
        leftSection={<IconUsersGroup size={16} aria-hidden />}
        renderRoot={(props) => (
          <Link {...props} to="/keys/$apiKey/groups" params={params} search={{ organizationId: id }} />
        )}
      >
        Groups
      </Menu.Item>
      <Menu.Item
        leftSection={<IconMail size={16} aria-hidden />}
        renderRoot={(props) => (
          <Link {...props} to="/keys/$apiKey/invitations" params={params} search={{ organizationId: id }} />
        )}
      >
        Invitations
      </Menu.Item>
      <Menu.Item
        leftSection={<IconTable size={16} aria-hidden />}
        renderRoot={(props) => <Link {...props} to={MATRIX} params={params} search={{ organizationId: id }} />}
      >
        Matrix
      </Menu.Item>
      <Menu.Item
        leftSection={<IconListCheck size={16} aria-hidden />}
        renderRoot={(props) => <Link {...props} to={ACCESS_REVIEW} params={params} search={{ organizationId: id }} />}
      >
        Access review
      </Menu.Item>
      <Menu.Divider />
      <PermittedItem needs="organizations.update" leftSection={<IconPencil size={16} aria-hidden />} onClick={onRename}>
        Rename
      </PermittedItem>
      <PermittedItem
        needs="organizations.disable"
        leftSection={<DisableIcon size={16} aria-hidden />}
        onClick={onDisable}
      >
        {disabled ? 'Enable' : 'Disable…'}
      </PermittedItem>
      <Menu.Divider />
      <PermittedItem
        needs="organizations.delete"
        color="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={onDelete}
      >
        Delete…
      </PermittedItem>
    </RowMenu>
  )
}
