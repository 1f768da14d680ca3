/** Signing in a command line: enter its code, see which machine it is, and approve or refuse. */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { DeviceRequest } from '#sdk/session.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { findDeviceRequest } from '../../queries/account/device.ts'
import { useSession } from '../../session/use-session.ts'
import { DeviceRequestAnswer } from './device-request.tsx'

const TITLE = 'Sign in a command line'

export function DeviceView() {
  const { operator } = useSession()
  const [found, setFound] = useState<{ userCode: string; machine: DeviceRequest }>()
  const [isMissing, setMissing] = useState(false)
  const find = useMutation({
    ...findDeviceRequest,
    onSuccess: (machine, userCode) => machine !== null && setFound({ userCode, machine }),
  })
  if (operator === undefined)
    return (
      <Page title={TITLE}>
        <EmptyState title="You are signed in with a token">
          A command line acts as a person. Sign in with a link, a passkey or your company; programs use tokens.
        </EmptyState>
      </Page>
    )
  if (found !== undefined)
    return (
      <Page title={TITLE}>
        <DeviceRequestAnswer {...found} operator={operator} />
      </Page>
    )

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code')).trim()
    setMissing(code === '')
    if (code === '') find.reset()
    else find.mutate(code)
  }

  return (
    <Page title={TITLE} intro="From then on it acts as you: with your role, and events name you.">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" maw="26rem">
          <TextInput
            name="code"
            label="Code"
            description={
              <>
                <code>commonhold login</code> shows it, such as BCDF-GHJK.
              </>
            }
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            required
            withAsterisk={false}
            error={isMissing ? 'Enter the code.' : undefined}
            autoFocus
          />
          {find.error !== null && <Failure error={find.error} />}
          {find.data === null && (
            <Alert role="alert" color="red" title="No sign-in is waiting for this code">
              <Text size="sm" c="var(--mantine-color-text)">
                It may be mistyped, expired after ten minutes, answered already, or for another workspace than this one.
              </Text>
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={find.isPending}>
              Continue
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  )
}
