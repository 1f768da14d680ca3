/** Sends an endpoint everything that it wants of a time again. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { MomentInput } from '../../components/moment-input.tsx'
import { replayWebhookMessages } from '../../queries/webhooks.ts'
import { useKey } from '../../session/use-session.ts'

const HOUR_MS = 3_600_000

export function Replay({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [since, setSince] = useState<number | undefined>(() => Date.now() - HOUR_MS)
  const [until, setUntil] = useState<number>()
  const replay = useMutation({
    ...replayWebhookMessages(useKey()),
    onSuccess: ({ messages }) => {
      notifications.show({ message: `${messages.toLocaleString()} messages will be sent again.` })
      onClose()
    },
  })
  function submit(): void {
    if (since !== undefined) replay.mutate({ endpointId, since, ...(until === undefined ? {} : { until }) })
  }
  return (
    <FormDialog
      title="Replay"
      action="Send again"
      error={replay.error}
      busy={replay.isPending}
      disabled={since === undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">
        Sends every message that the endpoint wants of what has happened in this time, delivered before or not, each
        under its own id: a receiver that looks at the id sees which it had.
      </Text>
      <MomentInput label="Since" required value={since} onChange={setSince} />
      <MomentInput label="Until" description="Empty: until now." value={until} onChange={setUntil} />
    </FormDialog>
  )
}
