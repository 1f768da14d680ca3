/** The settings of an API key, in tabs. */
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { Page } from '../../components/page/page.tsx'
import { Tabs, tabClass } from '../../components/page/tabs.tsx'
import { keysQuery } from '../../queries/keys/keys.ts'
import { useRefusals } from '../../session/permission.ts'
import { useKey, useSession } from '../../session/use-session.ts'
import { nameOf } from '../../shell/key-switcher.tsx'

const PARTS = [
  { to: '/keys/$apiKey/settings', label: 'General', needs: 'key-config.get' },
  { to: '/keys/$apiKey/settings/tokens', label: 'Auth tokens', needs: 'auth-tokens.list' },
  { to: '/keys/$apiKey/settings/domains', label: 'Domains', needs: 'domains.get' },
  { to: '/keys/$apiKey/settings/email', label: 'E-mail', needs: 'email-config.get' },
  { to: '/keys/$apiKey/settings/webhooks', label: 'Webhooks', needs: 'webhook-config.get' },
  { to: '/keys/$apiKey/settings/comments', label: 'Comments', needs: 'notification-config.get' },
  { to: '/keys/$apiKey/settings/compare', label: 'Compare', needs: 'api-keys.get' },
  { to: '/keys/$apiKey/settings/moving', label: 'Import and export', needs: 'key-config.get' },
] as const

export function SettingsView() {
  const { id } = useKey()
  const refusalOf = useRefusals()
  const { workspaceId } = useSession()
  const { data: keys } = useQuery({ ...keysQuery, enabled: workspaceId !== undefined })
  const key = keys?.find((one) => one.id === id)
  return (
    <Page title="Settings" intro={<>Settings of the API key {<bdi>{key === undefined ? id : nameOf(key)}</bdi>}.</>}>
      <Tabs label="Settings">
        {PARTS.filter(({ needs }) => refusalOf(needs) === undefined).map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ apiKey: id }}
            className={tabClass}
            data-label={label}
            activeOptions={{ exact: to === '/keys/$apiKey/settings' }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {label}
          </Link>
        ))}
      </Tabs>
      <Outlet />
    </Page>
  )
}
