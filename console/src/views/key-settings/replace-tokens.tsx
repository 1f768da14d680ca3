/** The dialog that replaces all auth tokens of a key by a new one, immediately or after an overlap. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CopySecret } from '../../components/copy-secret.tsx'
import { DurationInput, formatDuration } from '../../components/duration-input.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { resetAuthToken } from '../../queries/keys.ts'
import { useKey } from '../../session/use-session.ts'

const DAY = 86_400

export function ReplaceTokens({ count, onClose }: { count: number; onClose: () => void }) {
  const key = useKey()
  const [gracePeriodSeconds, setGracePeriod] = useState(DAY)
  const reset = useMutation(resetAuthToken)
  const end = gracePeriodSeconds === 0 ? 'immediately' : `in ${formatDuration(gracePeriodSeconds)}`
  if (reset.data !== undefined)
    return (
      <Modal opened onClose={onClose} closeOnClickOutside={false} title="Replace all tokens">
        <Stack gap="md">
          <CopySecret label="New auth token" secret={reset.data.token} />
          <Text size="sm">The old tokens expire {end}.</Text>
          <Group justify="end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    )
  return (
    <FormDialog
      title="Replace all tokens"
      action="Replace all"
      danger
      error={reset.error}
      busy={reset.isPending}
      onSubmit={() => reset.mutate({ apiKey: key.id, gracePeriodSeconds })}
      onClose={onClose}
    >
      <Text size="sm">
        A new token with all scopes is created, and{' '}
        {count === 1 ? 'the existing token expires' : `all ${count} existing tokens expire`} {end}.
      </Text>
      <DurationInput
        label="Old tokens remain valid for"
        description="0 expires them immediately. The maximum is 7 days."
        seconds={gracePeriodSeconds}
        max={7 * DAY}
        onChange={setGracePeriod}
      />
    </FormDialog>
  )
}
