/** Names the facts about the past that cannot be known. */
import { Alert, List } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { Limit } from '#sdk/access-history/question.ts'
import type { EventNames } from '#sdk/event-sentences/names.ts'
import type { Event } from '#sdk/generated/operations.ts'
import { formatDay } from '../../components/values/times.ts'
import { useTimeFormat } from '../../components/values/timestamp.tsx'
import { plural } from '../../plural.ts'

interface LimitsProps {
  limits: readonly Limit[]
  names: EventNames
  organizationId: string
}

export function Limits({ limits, names, organizationId }: LimitsProps) {
  useTimeFormat()
  if (limits.length === 0) return null
  const sentences = [...new Set(limits.map((limit) => sentenceOf(limit, names, organizationId)))]
  return (
    <Alert icon={<IconInfoCircle aria-hidden />} title="Not everything is known" c="var(--mantine-color-text)">
      <List size="sm">
        {sentences.map((sentence) => (
          <List.Item key={sentence}>
            <bdi dir="ltr">{sentence}</bdi>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

const REVOKING: Partial<Record<Event['type'], string>> = {
  'user.removed': 'Removing a user',
  'user_group.deleted': 'Deleting the user group',
  'folder.deleted': 'Deleting the folder',
  'document.deleted': 'Deleting the document',
}

function sentenceOf(limit: Limit, names: EventNames, organizationId: string): string {
  switch (limit.kind) {
    case 'kept_since':
      return `Events before ${formatDay(limit.at)} are no longer kept, so grants that ended before then are missing.`
    case 'grants_unknown':
      return `${REVOKING[limit.event.type] ?? 'A change'} on ${formatDay(limit.event.changedAt)} revoked ${plural(limit.count, 'more grant')} than the events name.`
    case 'members_unknown': {
      const { groupId = '', changedAt } = limit.event
      const group = names.of({ kind: 'userGroup', id: groupId, organizationId }) ?? groupId
      return `Not everybody is known who was in the user group \u2068${group}\u2069 before ${formatDay(changedAt)}.`
    }
    case 'place_unknown': {
      const { type: kind, id } = limit.place
      const name = names.of({ kind, id, organizationId }) ?? id
      return `The ${kind} \u2068${name}\u2069 was deleted; its folder at that time is not known.`
    }
    case 'more_places':
      return `There were grants on ${plural(limit.count, 'more resource')} than are listed.`
  }
}
