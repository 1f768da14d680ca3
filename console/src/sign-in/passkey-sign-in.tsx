/** A button that signs in with a passkey, where the browser accepts passkeys: not at addresses without a name. */
import { Button, Stack } from '@mantine/core'
import { browserSupportsWebAuthn } from '@simplewebauthn/browser'
import { useState } from 'react'
import { signWithPasskey } from '../session/passkey.ts'
import { signIn } from '../session/session.ts'
import { FailureAlert } from './failure-alert.tsx'
import { passkeyFailure, type SignInFailure } from './sign-in-failure.ts'

const IS_NUMERIC = /^(\[.*\]|[\d.]+)$/

export function PasskeySignIn() {
  const [failure, setFailure] = useState<SignInFailure>()
  const [busy, setBusy] = useState(false)
  if (!browserSupportsWebAuthn() || IS_NUMERIC.test(location.hostname)) return null

  async function use(): Promise<void> {
    setBusy(true)
    setFailure(undefined)
    try {
      await signIn({ passkey: await signWithPasskey('sign-in') })
    } catch (error) {
      setFailure(passkeyFailure(error))
      setBusy(false)
    }
  }

  return (
    <Stack gap="xs">
      <FailureAlert id="passkey-failure" failure={failure} />
      <Button variant="default" onClick={use} loading={busy}>
        Sign in with a passkey
      </Button>
    </Stack>
  )
}
