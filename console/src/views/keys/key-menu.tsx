/** The menu of an API key. */
import { Menu } from '@mantine/core'
import { IconBan, IconCircleCheck, IconPencil, IconSettings, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
import { isProduction } from '../../session/permission.ts'
import { nameOf } from '../../shell/key-switcher.tsx'

interface KeyMenuProps {
  apiKey: ApiKeySummary
  onRename: () => void
  onDisable: () => void
  onDelete: () => void
}

export function KeyMenu({ apiKey, onRename, onDisable, onDelete }: KeyMenuProps) {
  const { id, disabled } = apiKey
  const DisableIcon = disabled ? IconCircleCheck : IconBan
  return (
    <RowMenu of={nameOf(apiKey)}>
      <Menu.Item
        leftSection={<IconSettings size={16} aria-hidden />}
        renderRoot={(props) => <Link {...props} to="/keys/$apiKey/settings" params={{ apiKey: id }} />}
      >
        Settings
      </Menu.Item>
      <PermittedItem
        needs="api-keys.update"
        apiKey={id}
        leftSection={<IconPencil size={16} aria-hidden />}
        onClick={onRename}
      >
        Rename
      </PermittedItem>
      <PermittedItem
        needs={disabled ? 'api-keys.enable' : 'api-keys.disable'}
        apiKey={id}
        leftSection={<DisableIcon size={16} aria-hidden />}
        onClick={onDisable}
      >
        {disabled ? 'Enable' : `Disable${isProduction(id) ? '…' : ''}`}
      </PermittedItem>
      <Menu.Divider />
      <PermittedItem
        needs="api-keys.delete"
        apiKey={id}
        color="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={onDelete}
      >
        Delete
      </PermittedItem>
    </RowMenu>
  )
}
