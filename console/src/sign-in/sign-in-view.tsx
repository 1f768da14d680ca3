/** The sign-in page: one form at a time, with a token, a link by e-mail or the sign-in of a company, and links to the others. */
import { Anchor, Stack } from '@mantine/core'
import { useState } from 'react'
import { SENDS_LOGIN_LINKS } from '../page-data.ts'
import { CompanySignIn, hasCompany } from './company-sign-in.tsx'
import { FirstWorkspace } from './first-workspace.tsx'
import { LoginLinkRequest } from './login-link-request.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { SignInCard } from './sign-in-card.tsx'
import type { SignInKind } from './sign-in-failure.ts'
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
    <SignInCard title="Sign in to the console">
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
    </SignInCard>
  )
}
