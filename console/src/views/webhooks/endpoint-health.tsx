/** The health of an endpoint or basic URL: its latest attempts, its status, the number of failures, and the next attempt. */
import { Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { WebhookAttempt, WebhookHealth } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { WebhookStatusBadge } from '../../components/feedback/webhook-status.tsx'
import { Section } from '../../components/page/section.tsx'
import { Facts } from '../../components/values/facts.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { plural } from '../../plural.ts'
import { latestAttemptsQuery, webhookHealthQuery } from '../../queries/keys/webhooks.ts'
import { useKey } from '../../session/use-session.ts'
import { failureSentence } from './failure-words.ts'
import { LatestAttempts, responseTimes } from './latest-attempts.tsx'

/** The server counts no more. */
const ATTEMPTS_COUNTED = 100
const WAITING_COUNTED = 1_000

export function EndpointHealth({ endpointId }: { endpointId: string }) {
  const key = useKey()
  const { data: health, error } = useQuery(webhookHealthQuery(key, endpointId))
  const { data: latest } = useQuery(latestAttemptsQuery(key, endpointId))
  return (
    <Section title="Health">
      {error !== null && <Failure error={error} />}
      <LatestAttempts attempts={latest?.rows ?? []} />
      {health === undefined ? (
        error === null && <Skeleton height={200} />
      ) : (
        <HealthFacts health={health} attempts={latest?.rows} />
      )}
    </Section>
  )
}

interface HealthFactsProps {
  health: WebhookHealth
  /** The latest, latest first; undefined while they load. */
  attempts: readonly WebhookAttempt[] | undefined
}

function HealthFacts({ health, attempts = [] }: HealthFactsProps) {
  const { status, lastSuccessAt, lastFailureAt, failingSince, waiting, nextAttemptAt } = health
  return (
    <Facts
      label="Health"
      facts={[
        [
          'Status',
          <Group key="status" gap="xs">
            <WebhookStatusBadge status={status} />
            {failingSince !== null && (
              <Text size="sm" span>
                {status === 'disabled' ? 'after failing since ' : 'since '}
                <Timestamp at={failingSince} date />
                {status === 'disabled' ? '' : '; it is disabled after five days'}
              </Text>
            )}
          </Group>,
        ],
        ['Failure rate', failureRate(health)],
        ['Response time', responseTimes(attempts)],
        ['Last success', lastSuccessAt === null ? 'never' : <Timestamp key="success" at={lastSuccessAt} />],
        [
          'Last failure',
          lastFailureAt === null ? (
            'never'
          ) : (
            <span key="failure">
              <Timestamp at={lastFailureAt} />: {failureReason(health)}
            </span>
          ),
        ],
        [
          'Waiting',
          waiting >= WAITING_COUNTED ? `${WAITING_COUNTED.toLocaleString('en')} or more` : plural(waiting, 'message'),
        ],
        ['Next attempt', nextAttemptAt === null ? 'none' : <Timestamp key="next" at={nextAttemptAt} ahead />],
      ]}
    />
  )
}

/** Returns the figures of the last day: `18 of 18 attempts failed in the last 24 hours (100%)`. */
function failureRate({ attempts, failures }: WebhookHealth): ReactNode {
  if (attempts === 0) return 'no attempts in the last 24 hours'
  const which =
    attempts === ATTEMPTS_COUNTED
      ? `of the last ${attempts} attempts`
      : `of ${plural(attempts, 'attempt')} in the last 24 hours`
  return `${Math.round((failures / attempts) * 100)}%: ${failures.toLocaleString('en')} ${which} failed`
}

const failureReason = ({ lastFailureStatus, lastFailureError }: WebhookHealth): string =>
  lastFailureStatus === null ? failureSentence(lastFailureError) : `HTTP ${lastFailureStatus}`
