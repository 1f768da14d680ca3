/** Writes what became of deliveries, and tells of messages that are given up and of endpoints that are disabled for their failures. */
import type { Session } from '#platform/db/db.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events/record.ts'
import { type ClaimedDelivery, DISABLE_ENDPOINTS, type OutcomeRow, RECORD_OUTCOMES } from './delivery-statements.ts'
import { messageId } from './message.ts'
import { DISABLED_AFTER_DAYS } from './schedule.ts'

/** The message about a message that is given up; that this one is given up is not told. */
const EXHAUSTED = 'message.attempt.exhausted'
const ACTOR = { system: 'webhooks' } as const

export interface Sent {
  delivery: ClaimedDelivery
  outcome: OutcomeRow
}

export async function recordOutcomes(session: Session, sent: readonly Sent[]): Promise<void> {
  if (sent.length === 0) return
  const rows = sent.map(({ outcome }) => outcome)
  const failing = await session.runSet(RECORD_OUTCOMES, rows)
  const gone = new Set(rows.flatMap(({ outcome, endpointKey }) => (outcome === 'gone' ? [endpointKey] : [])))
  const old = failing.flatMap((row) => (row.failingDays >= DISABLED_AFTER_DAYS ? [row.endpointKey] : []))
  const events = [...(await disable(session, sent, gone, old)), ...sent.flatMap(exhaustion)]
  if (events.length > 0) await recordStreamEvents(session, events)
}

async function disable(
  session: Session,
  sent: readonly Sent[],
  gone: ReadonlySet<number>,
  old: readonly number[],
): Promise<StreamEvent[]> {
  const keys = [...new Set([...gone, ...old])].sort((a, b) => a - b)
  if (keys.length === 0) return []
  const disabled = await session.runSet(
    DISABLE_ENDPOINTS,
    keys.map((endpointKey) => ({ endpointKey })),
  )
  return disabled.map(({ endpointKey, endpointId, url, failingSince }) => ({
    type: 'webhook_endpoint.disabled',
    ...ofKey(sent.find(({ delivery }) => delivery.endpointKey === endpointKey)?.delivery),
    after: {
      endpointId,
      url,
      reason: gone.has(endpointKey) ? 'gone' : 'failing',
      failingSince: failingSince?.getTime() ?? null,
    },
  }))
}

function exhaustion({ delivery, outcome }: Sent): StreamEvent[] {
  if (outcome.outcome !== 'exhausted' || outcome.eventType === EXHAUSTED) return []
  const { eventType, attempt: attempts, httpStatus, error } = outcome
  const { endpointId } = delivery
  const after = { endpointId, messageId: messageId(delivery), eventType, attempts, httpStatus, error }
  return [{ type: EXHAUSTED, ...ofKey(delivery), after }]
}

const ofKey = (delivery: ClaimedDelivery | undefined) => ({
  workspaceId: delivery?.workspaceId ?? '',
  apiKeyId: delivery?.apiKeyId ?? '',
  actor: ACTOR,
})
