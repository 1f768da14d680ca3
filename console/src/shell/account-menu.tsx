/** The account menu: who is signed in, and signing out. */
import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconLogout, IconUserCircle } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure } from '../components/failure.tsx'
import { Id } from '../components/id.tsx'
import { signOut } from '../session/session.ts'
import { useSession } from '../session/use-session.ts'

export function AccountMenu() {
  const { workspaceId, apiKey } = useSession()
  const queryClient = useQueryClient()
  const leave = useMutation({ mutationFn: () => signOut(queryClient), onError: notifyFailure })
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="Account">
          <IconUserCircle size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" px="sm" pt="xs" c="dimmed">
          {workspaceId === undefined ? 'Signed in with API key' : 'Signed in to workspace'}
        </Text>
        <Text size="sm" px="sm" pb="xs" component="div">
          <Id copy={false}>{workspaceId ?? apiKey ?? ''}</Id>
        </Text>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
