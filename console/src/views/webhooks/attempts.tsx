/** The log of an endpoint, latest first, with sending a test and replaying messages. */
import { Button, Group, Paper, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { WebhookAttempt } from '#sdk/generated/operations.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { notifyFailure } from '../../components/failure.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { Section } from '../../components/section.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import { useRows } from '../../queries/use-rows.ts'
import { testWebhook, webhookAttemptsQuery } from '../../queries/webhooks.ts'
import { useKey } from '../../session/use-session.ts'
import { AttemptDetail } from './attempt-detail.tsx'
import { Replay } from './replay.tsx'

/** How often the log is refetched while it is visible. */
const POLL_MS = 3_000

export function Attempts({ endpointId }: { endpointId: string }) {
  const key = useKey()
  const [messageId, setMessageId] = useState('')
  const [shown, show] = useState<WebhookAttempt>()
  const [replaying, setReplaying] = useState(false)
  const attempts = useRows({
    ...webhookAttemptsQuery(key, { endpointId, pageSize: 100, ...(messageId === '' ? {} : { messageId }) }),
    refetchInterval: POLL_MS,
  })
  const test = useMutation({
    ...testWebhook(key),
    onError: notifyFailure,
    onSuccess: () => {
      notifications.show({ message: 'A test message is being sent. The log shows the result.' })
      return attempts.refetch()
    },
  })
  const columns: Column<WebhookAttempt>[] = [
    { key: 'when', header: 'When', width: 130, cell: ({ attemptedAt }) => <Timestamp at={attemptedAt} /> },
    {
      key: 'event',
      header: 'Event',
      cell: (attempt) => <RowButton name={attempt.eventType} onClick={() => show(attempt)} />,
    },
    { key: 'attempt', header: 'Attempt', width: 90, align: 'end', wideOnly: true, cell: ({ attempt }) => attempt },
    {
      key: 'answer',
      header: 'Response',
      width: 'min(150px, 31vw)',
      cell: (attempt) => <ResponseBadge attempt={attempt} />,
    },
    {
      key: 'took',
      header: 'Duration',
      width: 110,
      align: 'end',
      wideOnly: true,
      cell: ({ durationMs }) => `${durationMs.toLocaleString()} ms`,
    },
    {
      key: 'next',
      header: 'Next attempt',
      width: 130,
      wideOnly: true,
      cell: ({ success, nextAttemptAt }) =>
        success || nextAttemptAt === null ? '–' : <Timestamp at={nextAttemptAt} />,
    },
  ]
  return (
    <Section
      title="Attempts"
      intro="Every attempt to deliver a message, latest first."
      actions={
        <>
          <Button variant="default" onClick={() => setReplaying(true)}>
            Replay…
          </Button>
          <Button loading={test.isPending} onClick={() => test.mutate(endpointId)}>
            Send test event
          </Button>
        </>
      }
    >
      <MessageFilter messageId={messageId} onFind={setMessageId} onRefresh={() => attempts.refetch()} />
      <DataTable
        label="Attempts"
        rows={attempts}
        columns={columns}
        idOf={({ messageId, attemptedAt, attempt }) => `${messageId} ${attemptedAt} ${attempt}`}
        height="32rem"
        empty={
          <Paper withBorder>
            <EmptyState title={messageId === '' ? 'No attempts yet' : 'No matching attempts'}>
              {messageId === ''
                ? 'Send a test event, or wait for an event that matches the filters of the endpoint.'
                : 'Enter the full id of the message. Old attempts are deleted after a while.'}
            </EmptyState>
          </Paper>
        }
      />
      {shown !== undefined && <AttemptDetail endpointId={endpointId} attempt={shown} onClose={() => show(undefined)} />}
      {replaying && <Replay endpointId={endpointId} onClose={() => setReplaying(false)} />}
    </Section>
  )
}

function ResponseBadge({ attempt: { success, httpStatus, error } }: { attempt: WebhookAttempt }) {
  return (
    <StateBadge state={success ? 'good' : 'bad'} title={error ?? undefined}>
      {success ? '✓' : '✕'} {httpStatus ?? error ?? 'no response'}
    </StateBadge>
  )
}

interface MessageFilterProps {
  messageId: string
  onFind: (messageId: string) => void
  onRefresh: () => void
}

function MessageFilter({ messageId, onFind, onRefresh }: MessageFilterProps) {
  const [typed, setTyped] = useState(messageId)
  function submit(event: FormEvent): void {
    event.preventDefault()
    onFind(typed.trim())
  }
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="xs">
        <TextInput
          flex={1}
          miw={240}
          maw={420}
          label="Message id"
          placeholder="msg_"
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit" variant="default">
          Find
        </Button>
        <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRefresh}>
          Refresh
        </Button>
      </Group>
    </form>
  )
}
