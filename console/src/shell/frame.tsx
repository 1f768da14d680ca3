/** The frame around every view: API key and its environment, navigation, colour scheme and account. */
import { AppShell, Box, Burger, Group } from '@mantine/core'
import { useDisclosure, useElementSize } from '@mantine/hooks'
import { Outlet, useParams } from '@tanstack/react-router'
import { ColorSchemeSwitch } from '../components/page/color-scheme-switch.tsx'
import { EnvironmentBadge } from '../components/page/environment.tsx'
import { Logo } from '../components/page/logo.tsx'
import { isProduction } from '../session/permission.ts'
import { AccountMenu } from './account-menu.tsx'
import { useFocusReturn } from './focus-return.ts'
import { Follower } from './follower.tsx'
import classes from './frame.module.css'
import { KeyName, KeySwitcher } from './key-switcher.tsx'
import { Navigation } from './navigation.tsx'
import { PaletteButton } from './palette/palette-button.tsx'
import { ServerBanner } from './server-banner.tsx'

const HEADER_PX = 56
/** On a phone the key and its environment have a line of their own below the header. */
const KEY_LINE_PX = 32

export function Frame() {
  const [opened, { toggle, close }] = useDisclosure()
  const { apiKey } = useParams({ strict: false })
  const { ref: banner, height: bannerPx } = useElementSize()
  useFocusReturn()
  const headerPx = HEADER_PX + bannerPx
  return (
    <AppShell
      header={{ height: { base: apiKey === undefined ? headerPx : headerPx + KEY_LINE_PX, sm: headerPx } }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <Follower apiKey={apiKey} />
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
        <Box hiddenFrom="sm" mb="sm">
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
