/** The sign-in page: one form at a time, with a token, a link by e-mail or the sign-in of a company, and links to the others. */
import { Anchor, Group, Paper, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import { ColorSchemeSwitch } from '../components/page/color-scheme-switch.tsx'
import { Logo } from '../components/page/logo.tsx'
import { SENDS_LOGIN_LINKS } from '../page-data.ts'
import { CompanySignIn, hasCompany } from './company-sign-in.tsx'
import { FirstWorkspace } from './first-workspace.tsx'
import { LoginLinkRequest } from './login-link-request.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import type { SignInKind } from './sign-in-failure.ts'
import classes from './sign-in-view.module.css'
import { TokenSignIn } from './token-sign-in.tsx'

type Way = 'token' | 'link' | 'company'

const WAYS: readonly { way: Way; label: string }[] = [
  { way: 'token', label: 'Sign in with a token' },
  { way: 'link', label: 'Sign in with a link by e-mail' },
  { way: 'company', label: 'Sign in with your company' },
]

export function SignInView() {
  const [kind, setKind] = useState<SignInKind>('workspace')
  const [way, choose] = useState<Way>(() => (hasCompany() ? 'company' : 'token'))
  const others = WAYS.filter((one) => one.way !== way && (one.way !== 'link' || SENDS_LOGIN_LINKS))
  return (
    <main className={classes.page}>
      <Paper className={classes.card} withBorder p="xl" radius="lg">
        <Stack gap="md">
          <Group justify="space-between">
            <Logo />
            <ColorSchemeSwitch />
          </Group>
          <Title order={1} size="h3">
            Sign in to the console
          </Title>
          {way === 'token' && <TokenSignIn kind={kind} onKind={setKind} />}
          {way === 'link' && <LoginLinkRequest />}
          {way === 'company' && <CompanySignIn />}
          {kind === 'workspace' && (
            <>
              <PasskeySignIn />
              <Stack gap="xs" align="center">
                {others.map(({ way: other, label }) => (
                  <Anchor key={other} component="button" type="button" size="sm" onClick={() => choose(other)}>
                    {label}
                  </Anchor>
                ))}
              </Stack>
              <FirstWorkspace />
            </>
          )}
        </Stack>
      </Paper>
    </main>
  )
}
