/**
 * For operators: leads to the sign-in provider of their company, which the part of their address after the @ finds. The rest of
 * the address stays in the browser. The domain is remembered.
 */
import { Anchor, Button, Collapse, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useId, useState } from 'react'
import { rememberPlace } from '../page-data.ts'
import { findCompany } from '../session/session.ts'
import { FailureAlert } from './failure-alert.tsx'
import { companyFailure, type SignInFailure } from './sign-in-failure.ts'

const NAME = 'commonhold-company'

/** Opens the way to the provider of a domain, or of a workspace. */
export function openProvider(place: { domain: string } | { workspace: string }): void {
  location.assign(`/console/oidc/start?${new URLSearchParams(place)}`)
}

export function CompanySignIn() {
  const remembered = localStorage.getItem(NAME) ?? ''
  const [opened, { toggle }] = useDisclosure(remembered !== '')
  const [failure, setFailure] = useState<SignInFailure>()
  const [busy, setBusy] = useState(false)
  const id = useId()

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const address = String(new FormData(event.currentTarget).get('company-address')).trim()
    const domain = address.slice(address.lastIndexOf('@') + 1)
    if (domain === '') return setFailure({ message: 'Enter your e-mail address.' })
    setBusy(true)
    setFailure(undefined)
    try {
      if (!(await findCompany(domain))) throw new RangeError(domain)
      localStorage.setItem(NAME, domain)
      rememberPlace()
      openProvider({ domain })
    } catch (error) {
      setFailure(companyFailure(error))
      setBusy(false)
    }
  }

  return (
    <Stack gap="xs" pt="md">
      <Anchor component="button" type="button" size="sm" aria-expanded={opened} aria-controls={id} onClick={toggle}>
        Sign in with your company
      </Anchor>
      <Collapse expanded={opened} id={id}>
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <FailureAlert id="company-failure" failure={failure} />
            <TextInput
              name="company-address"
              type="email"
              label="Your e-mail address at work"
              defaultValue={remembered === '' ? '' : `@${remembered}`}
              autoComplete="email"
              autoCapitalize="none"
              spellCheck={false}
            />
            <Button type="submit" variant="light" loading={busy}>
              Continue to your company
            </Button>
          </Stack>
        </form>
      </Collapse>
    </Stack>
  )
}
