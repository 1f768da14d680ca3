/** The account menu: who is signed in, their account, confirming who they are, and signing out. */
import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconCheck, IconClock, IconLogout, IconShieldCheck, IconUserCircle } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { notifyFailure } from '../components/feedback/failure.tsx'
import { Id } from '../components/values/id.tsx'
import { setTimeFormat, TIME_FORMATS, TIMES } from '../components/values/times.ts'
import { useTimeFormat } from '../components/values/timestamp.tsx'
import { signOut } from '../session/session.ts'
import { useSession } from '../session/use-session.ts'
import { ConfirmDialog } from '../sign-in/confirm-dialog.tsx'

export function AccountMenu() {
  const { workspaceName, apiKey, operator } = useSession()
  const [confirming, setConfirming] = useState(false)
  const leave = useMutation({ mutationFn: signOut, onError: notifyFailure })
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="Account">
            <IconUserCircle size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {operator !== undefined && (
            <Text size="sm" px="sm" pt="xs" style={{ overflowWrap: 'anywhere' }}>
              <bdi>{operator.name}</bdi>, {operator.role}
            </Text>
          )}
          <Text size="sm" px="sm" pt="xs" c="dimmed">
            {apiKey === undefined ? 'Signed in to workspace' : 'Signed in with API key'}
          </Text>
          <Text size="sm" px="sm" pb="xs" component="div" style={{ overflowWrap: 'anywhere' }}>
            {apiKey === undefined ? <bdi>{workspaceName}</bdi> : <Id copy={false}>{apiKey}</Id>}
          </Text>
          <Menu.Divider />
          <TimeChoice />
          <Menu.Divider />
          {operator !== undefined && (
            <>
              <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={16} aria-hidden />}>
                Your account
              </Menu.Item>
              <Menu.Item leftSection={<IconShieldCheck size={16} aria-hidden />} onClick={() => setConfirming(true)}>
                Confirm that it is you
              </Menu.Item>
            </>
          )}
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => leave.mutate()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {confirming && <ConfirmDialog onClose={() => setConfirming(false)} />}
    </>
  )
}

/** How all views say times. */
function TimeChoice() {
  const chosen = useTimeFormat()
  return (
    <>
      <Menu.Label>Times</Menu.Label>
      {TIME_FORMATS.map((format) => (
        <Menu.Item
          key={format}
          closeMenuOnClick={false}
          leftSection={<IconClock size={16} aria-hidden />}
          rightSection={format === chosen ? <IconCheck size={16} aria-label="selected" /> : undefined}
          onClick={() => setTimeFormat(format)}
        >
          {TIMES[format]}
        </Menu.Item>
      ))}
    </>
  )
}
