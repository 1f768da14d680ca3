/** The status of a migration as a colour and a word, with its progress while it runs. */
import { Group, Progress, Text } from '@mantine/core'
import type { Migration } from '#sdk/generated/operations.ts'
import { StateBadge } from '../../components/values/state-badge.tsx'
import { STATUSES } from './migration-search.ts'

export function MigrationStatus({ migration: { status, percent, error } }: { migration: Migration }) {
  if (status === 'pending' || status === 'in_progress')
    return (
      <Group gap="xs" wrap="nowrap">
        <Progress flex={1} size="lg" value={percent} animated aria-label={`${STATUSES[status]}, ${percent} %`} />
        <Text size="xs">
          {STATUSES[status]}, {percent} %
        </Text>
      </Group>
    )
  return (
    <StateBadge state={status === 'completed' ? 'good' : 'bad'} title={error?.message}>
      {STATUSES[status]}
    </StateBadge>
  )
}
