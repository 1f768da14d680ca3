/** Switches for acts on comments. A switch has two names in the settings, a short word and an event type. */
import { Checkbox, Fieldset, SimpleGrid } from '@mantine/core'
import { labelOf } from '#sdk/event-sentences/field-names.ts'
import type { CommentTriggers as Triggers } from '#sdk/generated/operations.ts'

const TYPES = {
  newlyAdded: 'comment_annotation.add',
  added: 'comment.add',
  updated: 'comment.update',
  deleted: 'comment.delete',
  assigned: 'comment_annotation.assign',
  statusChanged: 'comment_annotation.status_change',
  priorityChanged: 'comment_annotation.priority_change',
  accessModeChanged: 'comment_annotation.access_mode_change',
  subscribed: 'comment_annotation.subscribe',
  unsubscribed: 'comment_annotation.unsubscribe',
  suggestionAccepted: 'comment_annotation.suggestion_accept',
  suggestionRejected: 'comment_annotation.suggestion_reject',
} as const
type Word = keyof typeof TYPES

export const ALL_TRIGGERS = Object.keys(TYPES) as Word[]

interface CommentTriggersProps {
  legend: string
  words: readonly Word[]
  triggers: Triggers
  /** Whether a switch that is not stored is on. */
  unset: boolean
  onChange: (triggers: Triggers) => void
}

export function CommentTriggers({ legend, words, triggers, unset, onChange }: CommentTriggersProps) {
  return (
    <Fieldset legend={legend}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {words.map((word) => {
          const type = TYPES[word]
          return (
            <Checkbox
              key={word}
              label={labelOf(type)}
              checked={triggers[type] ?? triggers[word] ?? unset}
              onChange={({ currentTarget }) => {
                const { [type]: _other, ...others } = triggers
                onChange({ ...others, [word]: currentTarget.checked })
              }}
            />
          )
        })}
      </SimpleGrid>
    </Fieldset>
  )
}
