/** Tests the settings in the form before they are saved. Faults appear here; the rest of the test is at the provider. */
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconPlugConnectedX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { SsoProblem, TestSsoConfigData } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Note } from '../../components/feedback/note.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { testSsoConfig } from '../../queries/account/single-sign-on.ts'
import { inWordsOfForm, SETTINGS } from './settings.ts'

export function Problem({ problem: { setting, message, next } }: { problem: SsoProblem }) {
  return (
    // Records and addresses of providers are long words.
    <div role="alert" style={{ overflowWrap: 'anywhere' }}>
      <Note tone="danger" Icon={IconPlugConnectedX} title={message}>
        {SETTINGS[setting]}: {next}
      </Note>
    </div>
  )
}

export function ConnectionTest({ settings }: { settings: TestSsoConfigData }) {
  const test = useMutation(testSsoConfig)
  const { problem, url } = test.data ?? {}
  const error = inWordsOfForm(test.error)
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <PermittedButton
          needs="sso-config.test"
          type="button"
          variant="default"
          loading={test.isPending}
          onClick={() => test.mutate(settings)}
        >
          Test connection
        </PermittedButton>
        <Text size="xs" c="dimmed">
          With the settings above, saved or not. A test signs nobody in.
        </Text>
      </Group>
      {error !== null && <Failure error={error} />}
      {problem !== undefined && <Problem problem={problem} />}
      {url !== undefined && (
        <Group gap="xs" role="status" wrap="nowrap" align="start">
          <IconCircleCheck size={18} aria-hidden />
          <Text size="sm">
            The provider accepts the client id, its secret and the redirect URI.{' '}
            <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit>
              Sign in at the provider
            </Anchor>{' '}
            within five minutes: a new tab then shows as whom this account would sign in.
          </Text>
        </Group>
      )}
    </Stack>
  )
}
