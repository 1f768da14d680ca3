/** Signs in with the token of a workspace or of an API key. The token is exchanged for a session, and not kept afterwards. */
import { Button, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { signIn } from '../session/session.ts'
import { FailureAlert } from './failure-alert.tsx'
import { type SignInFailure, type SignInKind, signInFailure } from './sign-in-failure.ts'

const TEXTS: Record<SignInKind, { id: string; token: string; rights: string }> = {
  workspace: {
    id: 'Workspace id',
    token: 'Workspace token',
    rights: 'Full access to the workspace and all its API keys.',
  },
  apiKey: {
    id: 'API key',
    token: 'Auth token',
    rights: 'Access to the data of this API key, limited by the scopes of the token.',
  },
}

/** Pasted values often come with spaces, line breaks or quotation marks around them. */
const trimmed = (text: string): string => text.trim().replace(/^(["'`])(.*)\1$/, '$2')

interface TokenSignInProps {
  kind: SignInKind
  /** The id of the workspace or API key, if it must be this one. */
  id?: string
  onKind?: (kind: SignInKind) => void
}

export function TokenSignIn({ kind, id: known, onKind }: TokenSignInProps) {
  const [failure, setFailure] = useState<SignInFailure>()
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const texts = TEXTS[kind]

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const id = trimmed(String(fields.get('id')))
    const token = trimmed(String(fields.get('token')))
    const empty = id === '' ? 'id' : token === '' ? 'token' : undefined
    if (empty !== undefined) {
      setFailure({ message: `Enter the ${empty === 'id' ? texts.id : texts.token}.` })
      return focus(empty)
    }
    setBusy(true)
    try {
      await signIn(kind === 'workspace' ? { workspaceId: id, token } : { apiKey: id, token })
    } catch (error) {
      setFailure(signInFailure(error, kind, token))
      setBusy(false)
      focus('token')
    }
  }

  function focus(field: 'id' | 'token'): void {
    form.current?.querySelector<HTMLInputElement>(`input[name=${field}]`)?.focus()
  }

  const invalid = failure === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'sign-in-failure' }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="md">
        {onKind !== undefined && (
          <>
            <SegmentedControl
              fullWidth
              aria-label="Sign in with"
              value={kind}
              onChange={(value) => {
                onKind(value as SignInKind)
                setFailure(undefined)
              }}
              data={[
                { value: 'workspace', label: 'Workspace' },
                { value: 'apiKey', label: 'API key' },
              ]}
            />
            <Text size="sm" c="dimmed">
              {texts.rights}
            </Text>
          </>
        )}
        <FailureAlert id="sign-in-failure" failure={failure} />
        <TextInput
          name="id"
          label={texts.id}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus={known === undefined}
          readOnly={known !== undefined}
          {...(known !== undefined && { defaultValue: known })}
          {...invalid}
        />
        <PasswordInput
          name="token"
          label={texts.token}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show input' }}
          {...invalid}
        />
        <Button type="submit" loading={busy}>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          The token is exchanged for a session of twelve hours. This page does not keep the token.
        </Text>
      </Stack>
    </form>
  )
}
