/** The menu of a folder or a document. */
import { ActionIcon, Menu } from '@mantine/core'
import {
  IconBan,
  IconCircleCheck,
  IconDots,
  IconFolderSymlink,
  IconHelpCircle,
  IconLock,
  IconPencil,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { ACCESS, WHY } from '../../links/paths.ts'
import { useKey } from '../../session/use-session.ts'
import { type Resource, rowIdOf } from './resource.ts'
import { verbOf } from './resource-fields.tsx'

export type Action = 'edit' | 'move' | 'access' | 'disable' | 'delete'

interface ResourceMenuProps {
  organizationId: string
  resource: Resource
  onAction: (action: Action) => void
}

export function ResourceMenu({ organizationId, resource, onAction }: ResourceMenuProps) {
  const { type, id, disabled } = resource
  const DisableIcon = disabled ? IconCircleCheck : IconBan
  const link = { params: { apiKey: useKey().id }, search: { organizationId, type, id } }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${rowIdOf(resource)}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconUsers size={16} aria-hidden />}
          renderRoot={(props) => <Link {...props} to={ACCESS} {...link} />}
        >
          Who has access
        </Menu.Item>
        <Menu.Item
          leftSection={<IconHelpCircle size={16} aria-hidden />}
          renderRoot={(props) => <Link {...props} to={WHY} {...link} />}
        >
          Why
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onAction('edit')}>
          {verbOf(type)}
        </Menu.Item>
        <Menu.Item leftSection={<IconFolderSymlink size={16} aria-hidden />} onClick={() => onAction('move')}>
          Move…
        </Menu.Item>
        <Menu.Item leftSection={<IconLock size={16} aria-hidden />} onClick={() => onAction('access')}>
          Access type…
        </Menu.Item>
        {type === 'document' && (
          <Menu.Item leftSection={<DisableIcon size={16} aria-hidden />} onClick={() => onAction('disable')}>
            {disabled ? 'Enable' : 'Disable for everybody'}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          color="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onAction('delete')}
        >
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
