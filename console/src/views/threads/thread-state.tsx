/** The status of a thread, under the name that its app has for it. */
import type { ThreadRecord } from '#sdk/generated/operations.ts'
import { StateBadge } from '../../components/values/state-badge.tsx'

const STATES = { default: 'wait', ongoing: 'wait', terminal: 'good' } as const

export function ThreadState({ thread: { status } }: { thread: ThreadRecord }) {
  return (
    <StateBadge state={STATES[status.type]} title={status.id}>
      <bdi>{status.name}</bdi>
    </StateBadge>
  )
}
