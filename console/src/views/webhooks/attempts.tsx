/** The log of an endpoint, latest first, with sending a test and replaying messages. */
import { Button, Group, Paper, SegmentedControl, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ListWebhookAttemptsData, WebhookAttempt } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { RowButton } from '../../components/tables/row-button.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { StateBadge } from '../../components/values/state-badge.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { latestAttempts, testWebhook, webhookAttemptsQuery } from '../../queries/keys/webhooks.ts'
import { watched } from '../../queries/pages/rows.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { useKey } from '../../session/use-session.ts'
import { AttemptDetail } from './attempt-detail.tsx'
import { outcomeOf } from './failure-words.ts'
import { Replay } from './replay.tsx'

/** How often the log is refetched while it is visible. */
const POLL_MS = 3_000

type Outcome = NonNullable<ListWebhookAttemptsData['outcome']>

const OUTCOMES: { value: Outcome | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
  { value: 'waiting', label: 'Waiting' },
]

/** Why the list is empty. */
const EMPTY: Record<Outcome | 'all' | 'message', { title: string; text: string }> = {
  all: {
    title: 'No attempts yet',
    text: 'Send a test event, or wait for an event that matches the filters of the endpoint.',
  },
  delivered: { title: 'No delivered attempts', text: 'Nothing was delivered as far as the log goes back.' },
  failed: { title: 'No failed attempts', text: 'Nothing has failed as far as the log goes back.' },
  waiting: { title: 'No messages to try again', text: 'No message that failed waits for another attempt.' },
  message: {
    title: 'No matching attempts',
    text: 'Enter the full id of the message. Old attempts are deleted after a while.',
  },
}

export function Attempts({ endpointId }: { endpointId: string }) {
  const key = useKey()
  const [messageId, setMessageId] = useState('')
  const [outcome, setOutcome] = useState<Outcome | 'all'>('all')
  const [shown, show] = useState<WebhookAttempt>()
  const [replaying, setReplaying] = useState(false)
  const attempts = useRows({
    ...webhookAttemptsQuery(key, {
      ...latestAttempts(endpointId),
      ...(messageId !== '' ? { messageId } : outcome === 'all' ? {} : { outcome }),
    }),
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
  const empty = EMPTY[messageId === '' ? outcome : 'message']
  const isWide = useMediaQuery('(min-width: 62em)')
  /** The latest attempt of each message: earlier ones have no next attempt any more. */
  const latest = new Map(attempts.loaded.toReversed().map(({ messageId, attempt }) => [messageId, attempt]))
  const columns: Column<WebhookAttempt>[] = [
    {
      key: 'when',
      header: 'When',
      width: 130,
      wideOnly: true,
      cell: ({ attemptedAt }) => <Timestamp at={attemptedAt} />,
    },
    {
      key: 'event',
      header: 'Event',
      cell: (attempt) => (
        <>
          <RowButton name={attempt.eventType} onClick={() => show(attempt)} />
          {isWide === false && (
            <ClampedText size="xs" c="dimmed">
              {outcomeOf(attempt)}, <Timestamp at={attempt.attemptedAt} />
            </ClampedText>
          )}
        </>
      ),
    },
    { key: 'attempt', header: 'Attempt', width: 90, align: 'end', wideOnly: 'desktop', cell: ({ attempt }) => attempt },
    {
      key: 'answer',
      header: 'Response',
      width: 175,
      wideOnly: true,
      cell: (attempt) => (
        <StateBadge state={attempt.success ? 'good' : 'bad'} title={attempt.error ?? undefined}>
          {outcomeOf(attempt)}
        </StateBadge>
      ),
    },
    {
      key: 'took',
      header: 'Duration',
      width: 110,
      align: 'end',
      wideOnly: 'desktop',
      cell: ({ durationMs }) => `${durationMs.toLocaleString('en')} ms`,
    },
    {
      key: 'next',
      header: 'Next attempt',
      width: 130,
      wideOnly: true,
      cell: ({ success, nextAttemptAt, messageId, attempt }) =>
        success || nextAttemptAt === null || latest.get(messageId) !== attempt ? (
          '–'
        ) : (
          <Timestamp at={nextAttemptAt} ahead />
        ),
    },
  ]
  return (
    <Section
      title="Attempts"
      intro="Every attempt to deliver a message, latest first."
      actions={
        <>
          <PermittedButton needs="webhook-messages.replay" variant="default" onClick={() => setReplaying(true)}>
            Replay…
          </PermittedButton>
          <PermittedButton
            needs="webhook-messages.test"
            loading={test.isPending}
            onClick={() => test.mutate(endpointId)}
          >
            Send test event
          </PermittedButton>
        </>
      }
    >
      <SegmentedControl
        aria-label="Outcome"
        data={OUTCOMES}
        value={messageId === '' ? outcome : 'all'}
        disabled={messageId !== ''}
        onChange={(value) => setOutcome(value as Outcome | 'all')}
        style={{ alignSelf: 'start' }}
      />
      <MessageFilter messageId={messageId} onFind={setMessageId} onRefresh={() => attempts.refetch()} />
      <DataTable
        label="Attempts"
        rows={watched(attempts)}
        columns={columns}
        idOf={({ messageId, attemptedAt, attempt }) => `${messageId} ${attemptedAt} ${attempt}`}
        height="32rem"
        empty={
          <Paper withBorder>
            <EmptyState title={empty.title}>{empty.text}</EmptyState>
          </Paper>
        }
      />
      {shown !== undefined && <AttemptDetail endpointId={endpointId} attempt={shown} onClose={() => show(undefined)} />}
      {replaying && <Replay endpointId={endpointId} onClose={() => setReplaying(false)} />}
    </Section>
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
