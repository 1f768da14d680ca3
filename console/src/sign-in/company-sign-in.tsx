/**
 * For operators: leads to the sign-in provider of their company, which is found by the part of their address after the
 * @. The rest of the address stays in the browser. The domain is remembered.
 */
import { Button, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { rememberPlace } from '../page-data.ts'
import { findCompany } from '../session/session.ts'
import { keepText, keptText } from '../storage.ts'
import { FailureAlert } from './failure-alert.tsx'
import { companyFailure, type SignInFailure } from './sign-in-failure.ts'

const NAME = 'commonhold-company'
const BLOCKED = 'The browser has blocked the new tab. Allow new tabs for this site, then try again.'

const providerOf = (place: { domain: string } | { workspace: string }): string =>
  `/console/oidc/start?${new URLSearchParams(place)}`

/** Opens the way to the provider of a domain, or of a workspace. */
export const openProvider = (place: { domain: string } | { workspace: string }): void =>
  location.assign(providerOf(place))

/** Whether this browser has signed in so before. */
export const hasCompany = (): boolean => keptText(NAME) !== null

interface CompanySignInProps {
  /** Opens the provider in another tab, so that this page stays. */
  inNewTab?: boolean
}

export function CompanySignIn({ inNewTab = false }: CompanySignInProps) {
  const remembered = keptText(NAME) ?? ''
  const [failure, setFailure] = useState<SignInFailure>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const address = String(new FormData(event.currentTarget).get('company-address')).trim()
    const domain = address.slice(address.lastIndexOf('@') + 1)
    if (domain === '') return setFailure({ message: 'Enter your e-mail address.' })
    setBusy(true)
    setFailure(undefined)
    try {
      if (!(await findCompany(domain))) throw new RangeError(domain)
      keepText(NAME, domain)
      if (inNewTab) {
        setBusy(false)
        if (window.open(providerOf({ domain }), '_blank') === null) setFailure({ message: BLOCKED })
        return
      }
      rememberPlace()
      openProvider({ domain })
    } catch (error) {
      setFailure(companyFailure(error))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FailureAlert id="company-failure" failure={failure} />
        <TextInput
          name="company-address"
          type="email"
          label="Your e-mail address at work"
          defaultValue={remembered === '' ? '' : `@${remembered}`}
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
        <Button type="submit" loading={busy}>
          Continue to your company
        </Button>
      </Stack>
    </form>
  )
}
