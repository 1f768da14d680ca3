/** For operators: a form that has a link to sign in sent to their address. */
import { Anchor, Button, Collapse, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useId, useState } from 'react'
import { requestLoginLink } from '../session/session.ts'
import { FailureAlert } from './failure-alert.tsx'
import { linkRequestFailure, type SignInFailure } from './sign-in-failure.ts'

export function LoginLinkRequest() {
  const [opened, { toggle }] = useDisclosure(false)
  const [failure, setFailure] = useState<SignInFailure>()
  const [state, setState] = useState<'idle' | 'busy' | 'sent'>('idle')
  const id = useId()

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('owner')).trim()
    setState('busy')
    setFailure(undefined)
    try {
      await requestLoginLink(email)
      setState('sent')
    } catch (error) {
      setFailure(linkRequestFailure(error))
      setState('idle')
    }
  }

  return (
    <Stack gap="xs" pt="md">
      <Anchor component="button" type="button" size="sm" aria-expanded={opened} aria-controls={id} onClick={toggle}>
        Sign in with a link by e-mail
      </Anchor>
      <Collapse expanded={opened} id={id}>
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <FailureAlert id="link-failure" failure={failure} />
            <TextInput name="owner" type="email" label="E-mail address of the operator" autoComplete="email" />
            <Button type="submit" variant="light" loading={state === 'busy'}>
              Send me a link
            </Button>
            <Text size="sm" role="status">
              {state === 'sent' &&
                'If this is the address of an operator, a link was sent to it. It works once, within 15 minutes.'}
            </Text>
          </Stack>
        </form>
      </Collapse>
    </Stack>
  )
}
