/** The menu of a folder or a document. */
import { Menu } from '@mantine/core'
import {
  IconBan,
  IconCircleCheck,
  IconFolderSymlink,
  IconHelpCircle,
  IconLock,
  IconPencil,
  IconTrash,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
import { MenuLink } from '../../links/links.tsx'
import { ACCESS, WHY } from '../../links/paths.ts'
import { useKey } from '../../session/use-session.ts'
import { neededFor, type Resource, rowNameOf } from './resource.ts'
import { verbOf } from './resource-fields.tsx'

export type Action = 'edit' | 'move' | 'access' | 'disable' | 'delete'

interface ResourceMenuProps {
  organizationId: string
  resource: Resource
  onAction: (action: Action) => void
}

export function ResourceMenu({ organizationId, resource, onAction }: ResourceMenuProps) {
  const { type, id, disabled } = resource
  const navigate = useNavigate()
  const needs = neededFor([resource])
  const DisableIcon = disabled ? IconCircleCheck : IconBan
  const link = { params: { apiKey: useKey().id }, search: { organizationId, type, id } }
  return (
    <RowMenu of={rowNameOf(resource)}>
      <MenuLink Icon={IconUsers} to={ACCESS} {...link}>
        Who has access
      </MenuLink>
      <PermittedItem
        needs="grants.add"
        Icon={IconUserPlus}
        onClick={() => void navigate({ to: ACCESS, ...link, search: { ...link.search, giving: true } })}
      >
        Give access…
      </PermittedItem>
      <MenuLink Icon={IconHelpCircle} to={WHY} {...link}>
        Why
      </MenuLink>
      <Menu.Divider />
      <PermittedItem needs={needs.edit} Icon={IconPencil} onClick={() => onAction('edit')}>
        {verbOf(type)}
      </PermittedItem>
      <PermittedItem needs={needs.move} Icon={IconFolderSymlink} onClick={() => onAction('move')}>
        Move…
      </PermittedItem>
      <PermittedItem needs={needs.access} Icon={IconLock} onClick={() => onAction('access')}>
        Access type…
      </PermittedItem>
      {type === 'document' && (
        <PermittedItem needs={needs.disable} Icon={DisableIcon} onClick={() => onAction('disable')}>
          {disabled ? 'Enable' : 'Disable for everybody'}
        </PermittedItem>
      )}
      <Menu.Divider />
      <PermittedItem
        needs={needs.delete}
        color="var(--mantine-color-error)"
        Icon={IconTrash}
        onClick={() => onAction('delete')}
      >
        Delete…
      </PermittedItem>
    </RowMenu>
  )
}
