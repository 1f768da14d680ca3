/** The status of a webhook in words, and its colour. */
import type { WebhookHealth } from '#sdk/generated/operations.ts'
import { StateBadge } from '../values/state-badge.tsx'

export type WebhookStatus = WebhookHealth['status']

const STATUSES: Record<WebhookStatus, { word: string; state: 'good' | 'bad' | 'wait' | 'off'; meaning: string }> = {
  delivering: { word: 'delivering', state: 'good', meaning: 'The last attempt was delivered.' },
  failing: { word: 'failing', state: 'bad', meaning: 'The last attempt failed.' },
  waiting: { word: 'waiting', state: 'wait', meaning: 'Messages wait, and nothing was delivered for a minute.' },
  disabled: { word: 'disabled', state: 'off', meaning: 'Nothing is sent.' },
  never_called: { word: 'never called', state: 'off', meaning: 'Nothing was sent yet.' },
}

/** The statuses in the order of urgency. */
export const WEBHOOK_STATUSES: readonly WebhookStatus[] = [
  'failing',
  'waiting',
  'disabled',
  'delivering',
  'never_called',
]

export const wordOf = (status: WebhookStatus): string => STATUSES[status].word

export function WebhookStatusBadge({ status }: { status: WebhookStatus }) {
  const { word, state, meaning } = STATUSES[status]
  return (
    <StateBadge state={state} title={meaning}>
      {word}
    </StateBadge>
  )
}
