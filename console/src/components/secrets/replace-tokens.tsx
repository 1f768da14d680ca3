/** The dialog that replaces all tokens of a key or a workspace by a new one, immediately or after an overlap. */
import { Text } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { Needs } from '../../session/permission.ts'
import { DurationInput, formatDuration } from '../forms/duration-input.tsx'
import { FormDialog } from '../forms/form-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

const DAY = 86_400

interface ReplaceTokensProps {
  /** `New auth token` */
  label: string
  needs: Needs
  /** `A new token with all scopes` */
  created: string
  /** The number of existing tokens. */
  count: number
  /** Replaces the tokens; the old ones stay valid for this number of seconds. Resolves with the new secret. */
  reset: UseMutationResult<string, Error, number>
  onClose: () => void
}

export function ReplaceTokens({ label, needs, created, count, reset, onClose }: ReplaceTokensProps) {
  const [gracePeriodSeconds, setGracePeriod] = useState(DAY)
  const end = gracePeriodSeconds === 0 ? 'immediately' : `in ${formatDuration(gracePeriodSeconds)}`
  if (reset.data !== undefined)
    return (
      <SecretDialog title="Replace all tokens" label={label} secret={reset.data} onClose={onClose}>
        <Text size="sm">The old tokens expire {end}.</Text>
      </SecretDialog>
    )
  return (
    <FormDialog
      title="Replace all tokens"
      needs={needs}
      action="Replace all"
      danger
      error={reset.error}
      busy={reset.isPending}
      onSubmit={() => reset.mutate(gracePeriodSeconds)}
      onClose={onClose}
    >
      <Text size="sm">
        {created} is created, and {count === 1 ? 'the existing token expires' : `all ${count} existing tokens expire`}{' '}
        {end}.
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
