/** The details of an attempt: the request and the response. */
import { Code, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Event, WebhookAttempt } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { Facts } from '../../components/values/facts.tsx'
import { Id } from '../../components/values/id.tsx'
import { StateBadge } from '../../components/values/state-badge.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { messageEventQuery, resendWebhookMessage } from '../../queries/keys/webhooks.ts'
import { useKey } from '../../session/use-session.ts'
import classes from './attempt-detail.module.css'
import { isBasic } from './basic-urls.tsx'
import { failureSentence } from './failure-words.ts'

interface AttemptDetailProps {
  endpointId: string
  attempt: WebhookAttempt
  onClose: () => void
}

export function AttemptDetail({ endpointId, attempt, onClose }: AttemptDetailProps) {
  const { messageId, eventType, attemptedAt, success, httpStatus, error, durationMs, excerpt, nextAttemptAt } = attempt
  const resend = useMutation({
    ...resendWebhookMessage(useKey()),
    onSuccess: () => {
      notifications.show({ message: 'The message is being sent again. The log shows the result.' })
      onClose()
    },
  })
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={`${eventType}, attempt ${attempt.attempt}`}>
      <Stack gap="md">
        <Facts
          label="Attempt"
          facts={[
            ['Message', <Id key="message">{messageId}</Id>],
            ['Sent', <Timestamp key="sent" at={attemptedAt} date />],
            [
              'Outcome',
              <StateBadge key="outcome" state={success ? 'good' : 'bad'}>
                {success ? 'delivered' : 'failed'}
              </StateBadge>,
            ],
            [
              'Next attempt',
              nextAttemptAt === null || success ? 'none' : <Timestamp key="next" at={nextAttemptAt} date />,
            ],
          ]}
        />
        <Request endpointId={endpointId} attempt={attempt} />
        <Title order={3} size="h5">
          Response
        </Title>
        <Facts
          label="Response"
          facts={[
            ['Status', httpStatus ?? failureSentence(error)],
            ['Duration', `${durationMs.toLocaleString('en')} ms`],
          ]}
        />
        {excerpt === '' ? (
          <Text size="sm" c="dimmed">
            The body was empty.
          </Text>
        ) : (
          <Block label="Start of the body">{excerpt}</Block>
        )}
        {resend.error !== null && <Failure error={resend.error} />}
        <Group>
          <PermittedButton
            needs="webhook-messages.resend"
            loading={resend.isPending}
            onClick={() => resend.mutate({ endpointId, messageId })}
          >
            Resend message
          </PermittedButton>
        </Group>
      </Stack>
    </Drawer>
  )
}

function Request({ endpointId, attempt }: { endpointId: string; attempt: WebhookAttempt }) {
  const { data: event, error } = useQuery(messageEventQuery(useKey(), attempt))
  const { messageId, attemptedAt } = attempt
  return (
    <>
      <Title order={3} size="h5">
        Request
      </Title>
      <Block label="Headers">
        {[
          'content-type: application/json',
          `webhook-id: ${messageId}`,
          `webhook-timestamp: ${Math.floor(attemptedAt / 1000)}`,
          isBasic(endpointId) ? 'authorization: Basic …' : 'webhook-signature: v1,…',
        ].join('\n')}
      </Block>
      {error !== null && <Failure error={error} />}
      {event === null && (
        <Text size="sm" c="dimmed">
          The event of this message was not found. It may have been deleted, or too many events of its type have
          followed.
        </Text>
      )}
      {event && <Block label="Payload">{JSON.stringify(payloadOf(endpointId, messageId, event), null, 2)}</Block>}
      <Text size="xs" c="dimmed">
        The payload is shown before it is encoded or encrypted. Signatures and secrets are not stored; … stands for
        them.
      </Text>
    </>
  )
}

function Block({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Code block className={classes.block} tabIndex={0} role="region" aria-label={label}>
        {children}
      </Code>
    </div>
  )
}

/**
 * Builds the payload of a message from an event, like the server. That for `processed` also has names and a sentence of
 * that time, which are not reproduced here.
 */
function payloadOf(endpointId: string, messageId: string, event: Event): object {
  const { type } = event
  const head = { event: type, actionType: type.slice(type.lastIndexOf('.') + 1), webhookId: messageId }
  const source = type.slice(0, type.indexOf('.'))
  return isBasic(endpointId) ? { ...head, notificationSource: source, ...event } : { ...head, source, data: event }
}
