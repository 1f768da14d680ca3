/** For operators: a form that leads to the sign-in provider of a workspace. The id of the workspace is remembered; it is not a secret. */
import { Anchor, Button, Collapse, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useId, useState } from 'react'
import { FailureAlert } from './failure-alert.tsx'
import type { SignInFailure } from './sign-in-failure.ts'

const NAME = 'commonhold-company-workspace'

export function CompanySignIn() {
  const remembered = localStorage.getItem(NAME) ?? ''
  const [opened, { toggle }] = useDisclosure(remembered !== '')
  const [failure, setFailure] = useState<SignInFailure>()
  const id = useId()

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const workspace = String(new FormData(event.currentTarget).get('company-workspace')).trim()
    if (workspace === '') {
      setFailure({ message: 'Enter the workspace id.' })
      return
    }
    localStorage.setItem(NAME, workspace)
    location.assign(`/console/oidc/start?${new URLSearchParams({ workspace })}`)
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
              name="company-workspace"
              label="Id of the workspace of your company"
              defaultValue={remembered}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <Button type="submit" variant="light">
              Continue to your company
            </Button>
          </Stack>
        </form>
      </Collapse>
    </Stack>
  )
}
