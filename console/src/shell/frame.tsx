/** The frame around every view: API key, navigation, colour scheme and account. */
import { AppShell, Box, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useParams } from '@tanstack/react-router'
import { AccountMenu } from './account-menu.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { useFocusReturn } from './focus-return.ts'
import classes from './frame.module.css'
import { KeySwitcher } from './key-switcher.tsx'
import { Logo } from './logo.tsx'
import { Navigation } from './navigation.tsx'
import { PaletteButton } from './palette/palette-button.tsx'

export function Frame() {
  const [opened, { toggle, close }] = useDisclosure()
  const { apiKey } = useParams({ strict: false })
  useFocusReturn()
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close navigation' : 'Open navigation'}
              aria-expanded={opened}
            />
            <Logo />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Box visibleFrom="sm">
              <KeySwitcher apiKey={apiKey} />
            </Box>
            <PaletteButton apiKey={apiKey} />
            <ColorSchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
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
