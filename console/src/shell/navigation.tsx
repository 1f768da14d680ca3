/** The views of the chosen API key, in the order in which they are listed; a view that is made gets its line here. */
import { Stack } from '@mantine/core'
import { IconBuilding, IconHelpCircle, IconLayoutDashboard, IconUser, IconUsersGroup } from '@tabler/icons-react'
import { NavigationLink } from './links.tsx'

const VIEWS = [
  { to: '/keys/$apiKey', label: 'Overview', Icon: IconLayoutDashboard },
  { to: '/keys/$apiKey/organizations', label: 'Organizations', Icon: IconBuilding },
  { to: '/keys/$apiKey/users', label: 'Users', Icon: IconUser },
  { to: '/keys/$apiKey/groups', label: 'Groups', Icon: IconUsersGroup },
  { to: '/keys/$apiKey/why', label: 'Why', Icon: IconHelpCircle },
] as const

export function Navigation({ apiKey, onChosen }: { apiKey: string; onChosen: () => void }) {
  return (
    <Stack gap={2} component="nav" aria-label="Views">
      {VIEWS.map(({ to, label, Icon }) => (
        <NavigationLink
          key={label}
          to={to}
          params={{ apiKey }}
          activeOptions={{ exact: to === '/keys/$apiKey', includeSearch: false }}
          activeProps={{ active: true, 'aria-current': 'page' }}
          label={label}
          style={{ borderRadius: 'var(--mantine-radius-md)' }}
          leftSection={<Icon size={18} aria-hidden />}
          onClick={onChosen}
        />
      ))}
    </Stack>
  )
}
