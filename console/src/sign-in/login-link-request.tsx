/** For operators: a form that requests a link to sign in, which is sent to their address. */
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { requestLoginLink } from '../session/session.ts'
import { FailureAlert } from './failure-alert.tsx'
import { linkRequestFailure, type SignInFailure } from './sign-in-failure.ts'

export function LoginLinkRequest() {
  const [failure, setFailure] = useState<SignInFailure>()
  const [state, setState] = useState<'idle' | 'busy' | 'sent'>('idle')

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
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FailureAlert id="link-failure" failure={failure} />
        <TextInput name="owner" type="email" label="E-mail address of the operator" autoComplete="email" autoFocus />
        <Button type="submit" loading={state === 'busy'}>
          Send me a link
        </Button>
        <Text size="sm" role="status">
          {state === 'sent' &&
            'If this is the address of an operator, a link was sent to it. It works once, within 15 minutes.'}
        </Text>
      </Stack>
    </form>
  )
}
