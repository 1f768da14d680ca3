/** The navigation: the views of the selected API key and of the workspace, in order. */
import { Stack, Text } from '@mantine/core'
import {
  IconArrowsExchange,
  IconBuilding,
  IconEye,
  IconHelpCircle,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListCheck,
  IconLock,
  IconLogin2,
  IconMail,
  IconMessages,
  IconSettings,
  IconUser,
  IconUserShield,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'
import { useMatchRoute } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { NavigationLink } from '../links/links.tsx'
import { type Needs, useRefusals } from '../session/permission.ts'
import { useSession } from '../session/use-session.ts'
import classes from './navigation.module.css'

/** The views of an API key. Views with a group of the same name stand together under it; those that somebody may not read are absent. */
export const VIEWS = [
  { to: '/keys/$apiKey', label: 'Overview', Icon: IconLayoutDashboard, needs: 'key-config.get' },
  { to: '/keys/$apiKey/worth-a-look', label: 'Worth a look', Icon: IconEye, needs: 'findings.list' },
  {
    to: '/keys/$apiKey/organizations',
    label: 'Organizations',
    Icon: IconBuilding,
    group: 'Access',
    needs: 'organizations.get',
  },
  { to: '/keys/$apiKey/users', label: 'Users', Icon: IconUser, group: 'Access', needs: 'users.get' },
  { to: '/keys/$apiKey/groups', label: 'Groups', Icon: IconUsersGroup, group: 'Access', needs: 'user-groups.get' },
  { to: '/keys/$apiKey/invitations', label: 'Invitations', Icon: IconMail, group: 'Access', needs: 'invitations.get' },
  {
    to: '/keys/$apiKey/access-review',
    label: 'Access review',
    Icon: IconListCheck,
    group: 'Access',
    needs: 'events.list',
  },
  { to: '/keys/$apiKey/why', label: 'Why', Icon: IconHelpCircle, group: 'Access', needs: 'permissions.explain' },
  { to: '/keys/$apiKey/threads', label: 'Threads', Icon: IconMessages, group: 'Activity', needs: 'threads.get' },
  { to: '/keys/$apiKey/events', label: 'Events', Icon: IconHistory, group: 'Activity', needs: 'events.list' },
  {
    to: '/keys/$apiKey/webhooks',
    label: 'Webhooks',
    Icon: IconWebhook,
    group: 'Activity',
    needs: 'webhook-config.get',
  },
  {
    to: '/keys/$apiKey/migrations',
    label: 'Migrations',
    Icon: IconArrowsExchange,
    group: 'Activity',
    needs: 'migrations.list',
  },
  { to: '/keys/$apiKey/settings', label: 'Settings', Icon: IconSettings, group: 'Configuration' },
] as const

/** Views that a person may not read are absent. */
export const WORKSPACE_VIEWS = [
  { to: '/keys', label: 'API keys', Icon: IconKey, needs: 'api-keys.get' },
  { to: '/people', label: 'People', Icon: IconUserShield, needs: 'operators.get' },
  { to: '/workspace-tokens', label: 'Workspace tokens', Icon: IconLock, needs: 'workspace-tokens.get' },
  { to: '/single-sign-on', label: 'Single sign-on', Icon: IconLogin2, needs: 'sso-config.get' },
] as const

/** Returns the operations that a person must be allowed to call in order to see the view. */
export const neededFor = (view: object): Needs => ('needs' in view ? (view.needs as Needs) : [])

interface NavigationProps {
  /** Undefined when no key is selected. */
  apiKey: string | undefined
  onChosen: () => void
}

/** Views without an item of their own, and the items to which they belong. */
const PARTS = {
  '/keys/$apiKey/changes': '/keys/$apiKey/events',
  '/keys/$apiKey/access': '/keys/$apiKey/organizations',
  '/keys/$apiKey/inside': '/keys/$apiKey/organizations',
  '/keys/$apiKey/matrix': '/keys/$apiKey/organizations',
  '/keys/new': '/keys',
} as const
const PARTS_OF_VIEWS = Object.keys(PARTS) as (keyof typeof PARTS)[]

const GROUPS = [undefined, 'Access', 'Activity', 'Configuration'] as const

const groupOf = (view: (typeof VIEWS)[number]) => ('group' in view ? view.group : undefined)

export function Navigation({ apiKey, onChosen }: NavigationProps) {
  const { workspaceId } = useSession()
  const refusalOf = useRefusals()
  const isReadable = (view: object) => refusalOf(neededFor(view), { apiKey }) === undefined
  const matches = useMatchRoute()
  const part = PARTS_OF_VIEWS.find((to) => matches({ to }))
  const marked = part && PARTS[part]
  return (
    <Stack gap="md" component="nav" aria-label="Views">
      {apiKey !== undefined &&
        GROUPS.map((group) => (
          <NavigationGroup key={group ?? 'first'} label={group}>
            {VIEWS.filter((view) => groupOf(view) === group && isReadable(view)).map(({ to, label, Icon }) => (
              <NavigationLink
                key={label}
                to={to}
                params={{ apiKey }}
                activeOptions={{ exact: to === '/keys/$apiKey', includeSearch: false }}
                activeProps={{ active: true, 'aria-current': 'page' }}
                inactiveProps={{ active: to === marked }}
                label={label}
                className={classes.link}
                leftSection={<Icon size={18} aria-hidden />}
                onClick={onChosen}
              />
            ))}
          </NavigationGroup>
        ))}
      {workspaceId !== undefined && (
        <NavigationGroup label="Workspace">
          {WORKSPACE_VIEWS.filter(isReadable).map(({ to, label, Icon }) => (
            <NavigationLink
              key={label}
              to={to}
              activeOptions={{ exact: true }}
              activeProps={{ active: true, 'aria-current': 'page' }}
              inactiveProps={{ active: to === marked }}
              className={classes.link}
              label={label}
              leftSection={<Icon size={18} aria-hidden />}
              onClick={onChosen}
            />
          ))}
        </NavigationGroup>
      )}
    </Stack>
  )
}

function NavigationGroup({ label, children }: { label: string | undefined; children: ReactNode }) {
  return (
    <Stack gap={2} role={label && 'group'} aria-label={label}>
      {label !== undefined && (
        <Text size="xs" c="dimmed" fw={500} px="sm" pb={4} aria-hidden>
          {label}
        </Text>
      )}
      {children}
    </Stack>
  )
}
