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
import { Link, useNavigate } from '@tanstack/react-router'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
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
      <Menu.Item
        leftSection={<IconUsers size={16} aria-hidden />}
        renderRoot={(props) => <Link {...props} to={ACCESS} {...link} />}
      >
        Who has access
      </Menu.Item>
      <PermittedItem
        needs="grants.add"
        leftSection={<IconUserPlus size={16} aria-hidden />}
        onClick={() => void navigate({ to: ACCESS, ...link, search: { ...link.search, giving: true } })}
      >
        Give access…
      </PermittedItem>
      <Menu.Item
        leftSection={<IconHelpCircle size={16} aria-hidden />}
        renderRoot={(props) => <Link {...props} to={WHY} {...link} />}
      >
        Why
      </Menu.Item>
      <Menu.Divider />
      <PermittedItem
        needs={needs.edit}
        leftSection={<IconPencil size={16} aria-hidden />}
        onClick={() => onAction('edit')}
      >
        {verbOf(type)}
      </PermittedItem>
      <PermittedItem
        needs={needs.move}
        leftSection={<IconFolderSymlink size={16} aria-hidden />}
        onClick={() => onAction('move')}
      >
        Move…
      </PermittedItem>
      <PermittedItem
        needs={needs.access}
        leftSection={<IconLock size={16} aria-hidden />}
        onClick={() => onAction('access')}
      >
        Access type…
      </PermittedItem>
      {type === 'document' && (
        <PermittedItem
          needs={needs.disable}
          leftSection={<DisableIcon size={16} aria-hidden />}
          onClick={() => onAction('disable')}
        >
          {disabled ? 'Enable' : 'Disable for everybody'}
        </PermittedItem>
      )}
      <Menu.Divider />
      <PermittedItem
        needs={needs.delete}
        color="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onAction('delete')}
      >
        Delete…
      </PermittedItem>
    </RowMenu>
  )
}
