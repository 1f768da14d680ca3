/** The navigation: the views of the selected API key and of the workspace, in order. */
import { Stack } from '@mantine/core'
import {
  IconArrowsExchange,
  IconBuilding,
  IconHelpCircle,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconLock,
  IconLogin2,
  IconMail,
  IconSettings,
  IconUser,
  IconUserShield,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'
import { useMatchRoute } from '@tanstack/react-router'
import { useSession } from '../session/use-session.ts'
import { NavigationLink } from './links.tsx'

export const VIEWS = [
  { to: '/keys/$apiKey', label: 'Overview', Icon: IconLayoutDashboard },
  { to: '/keys/$apiKey/organizations', label: 'Organizations', Icon: IconBuilding },
  { to: '/keys/$apiKey/users', label: 'Users', Icon: IconUser },
  { to: '/keys/$apiKey/groups', label: 'Groups', Icon: IconUsersGroup },
  { to: '/keys/$apiKey/invitations', label: 'Invitations', Icon: IconMail },
  { to: '/keys/$apiKey/why', label: 'Why', Icon: IconHelpCircle },
  { to: '/keys/$apiKey/migrations', label: 'Migrations', Icon: IconArrowsExchange },
  { to: '/keys/$apiKey/events', label: 'Events', Icon: IconHistory },
  { to: '/keys/$apiKey/webhooks', label: 'Webhooks', Icon: IconWebhook },
  { to: '/keys/$apiKey/settings', label: 'Settings', Icon: IconSettings },
] as const

export const WORKSPACE_VIEWS = [
  { to: '/keys', label: 'API keys', Icon: IconKey },
  { to: '/people', label: 'People', Icon: IconUserShield },
  { to: '/workspace-tokens', label: 'Workspace tokens', Icon: IconLock },
  { to: '/single-sign-on', label: 'Single sign-on', Icon: IconLogin2 },
] as const

interface NavigationProps {
  /** Undefined when no key is selected. */
  apiKey: string | undefined
  onChosen: () => void
}

/** Views without an item of their own: they belong to "Organizations". */
const ORGANIZATION_VIEWS = ['/keys/$apiKey/access', '/keys/$apiKey/inside', '/keys/$apiKey/matrix'] as const

export function Navigation({ apiKey, onChosen }: NavigationProps) {
  const { workspaceId } = useSession()
  const matches = useMatchRoute()
  const isOrganizationView = ORGANIZATION_VIEWS.some((to) => matches({ to }))
  return (
    <Stack gap={2} component="nav" aria-label="Views">
      {apiKey !== undefined &&
        VIEWS.map(({ to, label, Icon }) => (
          <NavigationLink
            key={label}
            to={to}
            params={{ apiKey }}
            activeOptions={{ exact: to === '/keys/$apiKey', includeSearch: false }}
            activeProps={{ active: true, 'aria-current': 'page' }}
            inactiveProps={{ active: isOrganizationView && to === '/keys/$apiKey/organizations' }}
            label={label}
            style={{ borderRadius: 'var(--mantine-radius-md)' }}
            leftSection={<Icon size={18} aria-hidden />}
            onClick={onChosen}
          />
        ))}
      {workspaceId !== undefined &&
        WORKSPACE_VIEWS.map(({ to, label, Icon }) => (
          <NavigationLink
            key={label}
            to={to}
            activeOptions={{ exact: true }}
            activeProps={{ active: true, 'aria-current': 'page' }}
            style={{ borderRadius: 'var(--mantine-radius-md)' }}
            label={label}
            leftSection={<Icon size={18} aria-hidden />}
            onClick={onChosen}
          />
        ))}
    </Stack>
  )
}
