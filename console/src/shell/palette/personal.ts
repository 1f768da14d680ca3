/** The actions of the palette that concern the person who looks: their account, how the console looks, and signing out. */
import {
  IconClock,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconShieldCheck,
  IconSun,
  IconTerminal2,
  IconUserCircle,
} from '@tabler/icons-react'
import { TIME_FORMATS, TIMES } from '../../components/values/times.ts'
import type { PaletteCommand } from './commands.ts'

/** Returns what concerns the person who looks. */
export const personalCommands = (hasAccount: boolean): readonly PaletteCommand[] => [
  ...(hasAccount
    ? [
        {
          label: 'Your account',
          words: 'passkey password sessions profile me weekly mail',
          Icon: IconUserCircle,
          does: { to: { to: '/account' } },
        } satisfies PaletteCommand,
        {
          label: 'Confirm that it is you',
          words: 'sign in again recent',
          Icon: IconShieldCheck,
          does: 'confirm',
        } satisfies PaletteCommand,
        {
          label: 'Sign in a command line',
          words: 'device code terminal cli login machine',
          Icon: IconTerminal2,
          does: { to: { to: '/device' } },
        } satisfies PaletteCommand,
      ]
    : []),
  { label: 'Light theme', words: 'colour color scheme mode bright', Icon: IconSun, does: { colorScheme: 'light' } },
  { label: 'Dark theme', words: 'colour color scheme mode night', Icon: IconMoon, does: { colorScheme: 'dark' } },
  {
    label: 'Theme of the system',
    words: 'colour color scheme mode auto',
    Icon: IconDeviceDesktop,
    does: { colorScheme: 'auto' },
  },
  ...TIME_FORMATS.map(
    (times): PaletteCommand => ({
      label: times === 'utc' ? 'Times in UTC' : TIMES[times],
      words: 'times format of dates clock zone timestamps account',
      Icon: IconClock,
      does: { times },
    }),
  ),
  { label: 'Sign out', words: 'log out logout leave exit', Icon: IconLogout, does: 'sign out' },
]
