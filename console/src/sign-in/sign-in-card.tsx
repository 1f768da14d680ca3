/** The card of the pages on which somebody signs in. */
import { Group, Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { ColorSchemeSwitch } from '../components/page/color-scheme-switch.tsx'
import { Logo } from '../components/page/logo.tsx'
import classes from './sign-in-view.module.css'

export function SignInCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={classes.page}>
      <Paper className={classes.card} withBorder p="xl" radius="lg">
        <Stack gap="md">
          <Group justify="space-between">
            <Logo />
            <ColorSchemeSwitch />
          </Group>
          <Title order={1} size="h3">
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </main>
  )
}
