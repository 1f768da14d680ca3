/** What can be done with an API key. */
import { ActionIcon, Menu } from '@mantine/core'
import { IconBan, IconCircleCheck, IconDots, IconPencil, IconSettings, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { notifyFailure } from '../../components/failure.tsx'
import { disableApiKey } from '../../queries/keys.ts'
import { nameOf } from '../../shell/key-switcher.tsx'

interface KeyMenuProps {
  apiKey: ApiKeySummary
  onRename: () => void
  onDelete: () => void
}

export function KeyMenu({ apiKey, onRename, onDelete }: KeyMenuProps) {
  const navigate = useNavigate()
  const disable = useMutation({ ...disableApiKey, onError: notifyFailure })
  const { id, disabled } = apiKey
  const DisableIcon = disabled ? IconCircleCheck : IconBan
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${nameOf(apiKey)}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconSettings size={16} aria-hidden />}
          onClick={() => navigate({ to: '/keys/$apiKey/settings', params: { apiKey: id } })}
        >
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={onRename}>
          Rename
        </Menu.Item>
        <Menu.Item
          leftSection={<DisableIcon size={16} aria-hidden />}
          onClick={() => disable.mutate({ apiKey: id, disabled: !disabled })}
        >
          {disabled ? 'Enable' : 'Disable: every call is refused'}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={onDelete}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
