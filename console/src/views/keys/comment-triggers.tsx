/** Switches for what happens to comments. A switch has two names in the settings, a short word and an event type. */
import { Checkbox, Fieldset, SimpleGrid } from '@mantine/core'
import type { CommentTriggers as Triggers } from '#sdk/generated/operations.ts'

const LABELS = {
  newlyAdded: ['A thread is started', 'comment_annotation.add'],
  added: ['A comment is added', 'comment.add'],
  updated: ['A comment is changed', 'comment.update'],
  deleted: ['A comment or thread is deleted', 'comment.delete'],
  assigned: ['A thread is assigned', 'comment_annotation.assign'],
  statusChanged: ['The status is changed', 'comment_annotation.status_change'],
  priorityChanged: ['The priority is changed', 'comment_annotation.priority_change'],
  accessModeChanged: ['A thread becomes private or public', 'comment_annotation.access_mode_change'],
  subscribed: ['Somebody follows a thread', 'comment_annotation.subscribe'],
  unsubscribed: ['Somebody mutes a thread', 'comment_annotation.unsubscribe'],
  suggestionAccepted: ['A suggestion is accepted', 'comment_annotation.suggestion_accept'],
  suggestionRejected: ['A suggestion is rejected', 'comment_annotation.suggestion_reject'],
} as const
type Word = keyof typeof LABELS

export const ALL_TRIGGERS = Object.keys(LABELS) as Word[]

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
          const [label, type] = LABELS[word]
          return (
            <Checkbox
              key={word}
              label={label}
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
