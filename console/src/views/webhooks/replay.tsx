/** The dialog that sends an endpoint all its messages of a period again. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DateTimeInput } from '../../components/forms/date-time-input.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { plural } from '../../plural.ts'
import { replayWebhookMessages } from '../../queries/keys/webhooks.ts'
import { useKey } from '../../session/use-session.ts'

const HOUR_MS = 3_600_000

export function Replay({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [since, setSince] = useState<number | undefined>(() => Date.now() - HOUR_MS)
  const [until, setUntil] = useState<number>()
  const replay = useMutation({
    ...replayWebhookMessages(useKey()),
    onSuccess: ({ messages }) => {
      notifications.show({
        message: `${plural(messages, 'message')} will be sent again.`,
      })
      onClose()
    },
  })
  function submit(): void {
    if (since !== undefined) replay.mutate({ endpointId, since, ...(until === undefined ? {} : { until }) })
  }
  return (
    <FormDialog
      needs="webhook-messages.replay"
      title="Replay messages"
      action="Replay"
      error={replay.error}
      busy={replay.isPending}
      disabled={since === undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">
        Sends all messages of this period that match the filters of the endpoint, whether they were delivered or not.
        Each keeps its id, so that a receiver can recognize duplicates.
      </Text>
      <DateTimeInput data-autofocus label="Since" required value={since} onChange={setSince} />
      <DateTimeInput label="Until" description="Leave empty for now." value={until} onChange={setUntil} />
    </FormDialog>
  )
}
