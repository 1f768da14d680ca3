/** The frame around every view: API key and its environment, navigation, colour scheme and account. */
import { AppShell, Box, Burger, Group } from '@mantine/core'
import { useDisclosure, useElementSize } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Leaving } from '../components/forms/leaving.tsx'
import { ColorSchemeSwitch } from '../components/page/color-scheme-switch.tsx'
import { EnvironmentBadge } from '../components/page/environment.tsx'
import { Logo } from '../components/page/logo.tsx'
import { keysQuery } from '../queries/keys/keys.ts'
import { useFollower } from '../queries/live/follower.ts'
import { rememberOrganization } from '../recent.ts'
import { isProduction, useRefusal } from '../session/permission.ts'
import { keyOf, workspace } from '../session/session.ts'
import { useSession } from '../session/use-session.ts'
import { AccountMenu } from './account-menu.tsx'
import { useFocusReturn } from './focus-return.ts'
import classes from './frame.module.css'
import { KeyName, KeySwitcher } from './key-switcher.tsx'
import { lastKey, useKnownKey } from './known-key.ts'
import { Navigation } from './navigation.tsx'
import { PaletteButton } from './palette/palette-button.tsx'
import { ServerBanner } from './server-banner.tsx'

const HEADER_PX = 56
/** On a phone the key and its environment have a line of their own below the header. */
const KEY_LINE_PX = 32

/** The key of the view, if there is one; on the pages of the workspace, the one that was last open, so that the way back stays. */
function useShownKey(apiKey: string | undefined): string | undefined {
  const { workspaceId, apiKey: own } = useSession()
  const { data: keys } = useQuery({ ...keysQuery, enabled: workspaceId !== undefined })
  const { isUnknown } = useKnownKey(apiKey)
  const { organizationId } = useSearch({ strict: false })
  useEffect(() => {
    if (apiKey !== undefined && organizationId) rememberOrganization(apiKey, organizationId)
  }, [apiKey, organizationId])
  return isUnknown ? own : (apiKey ?? keys?.find(({ id }) => id === lastKey())?.id)
}

export function Frame() {
  const [opened, { toggle, close }] = useDisclosure()
  const { apiKey: openKey } = useParams({ strict: false })
  const apiKey = useShownKey(openKey)
  const { ref: banner, height: bannerPx } = useElementSize()
  useFocusReturn()
  const headerPx = HEADER_PX + bannerPx
  return (
    <AppShell
      header={{ height: { base: apiKey === undefined ? headerPx : headerPx + KEY_LINE_PX, sm: headerPx } }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <Follower apiKey={openKey} />
      <Leaving />
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <AppShell.Header
        data-production={(apiKey !== undefined && isProduction(apiKey)) || undefined}
        className={classes.header}
      >
        <div ref={banner}>
          <ServerBanner />
        </div>
        <Group h={HEADER_PX} px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close navigation' : 'Open navigation'}
              aria-expanded={opened}
            />
            <Logo />
            <Group gap="xs" wrap="nowrap" visibleFrom="sm" className={classes.key}>
              <KeySwitcher apiKey={apiKey} />
              {apiKey !== undefined && <EnvironmentBadge apiKey={apiKey} />}
            </Group>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <PaletteButton apiKey={apiKey} />
            <ColorSchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
        {apiKey !== undefined && (
          <Group h={KEY_LINE_PX} px="md" gap="xs" wrap="nowrap" hiddenFrom="sm" className={classes.keyLine}>
            <EnvironmentBadge apiKey={apiKey} />
            <KeyName apiKey={apiKey} />
          </Group>
        )}
      </AppShell.Header>
      <AppShell.Navbar p="sm" component="div" className={classes.navbar} data-closed={!opened || undefined}>
        <Box hiddenFrom="sm" mb="sm" component="section" aria-label="Choose an API key">
          <KeySwitcher apiKey={apiKey} />
        </Box>
        <Navigation apiKey={apiKey} onChosen={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

/** Follows the events of the open API key, or of the workspace, for those who may read them. */
function Follower({ apiKey }: { apiKey: string | undefined }) {
  const isRefused = useRefusal(apiKey === undefined ? 'account-events.list' : 'events.list', { apiKey }) !== undefined
  // Once a key is enabled again, its events are followed again.
  const isDisabled = useKnownKey(apiKey).key?.disabled === true
  const feed = apiKey === undefined || isDisabled ? workspace.accountEvents.list : keyOf(apiKey).client.events.list
  useFollower(isRefused ? undefined : feed)
  return null
}
