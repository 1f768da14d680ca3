/** The menu of an API key. */
import { Menu } from '@mantine/core'
import { IconBan, IconCircleCheck, IconPencil, IconSettings, IconTrash } from '@tabler/icons-react'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
import { MenuLink } from '../../links/links.tsx'
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
      <MenuLink Icon={IconSettings} to="/keys/$apiKey/settings" params={{ apiKey: id }}>
        Settings
      </MenuLink>
      <PermittedItem needs="api-keys.update" apiKey={id} Icon={IconPencil} onClick={onRename}>
        Rename
      </PermittedItem>
      <PermittedItem
        needs={disabled ? 'api-keys.enable' : 'api-keys.disable'}
        apiKey={id}
        Icon={DisableIcon}
        onClick={onDisable}
      >
        {disabled ? 'Enable' : `Disable${isProduction(id) ? '…' : ''}`}
      </PermittedItem>
      <Menu.Divider />
      <PermittedItem
        needs="api-keys.delete"
        apiKey={id}
        color="var(--mantine-color-error)"
        Icon={IconTrash}
        onClick={onDelete}
      >
        Delete
      </PermittedItem>
    </RowMenu>
  )
}
