/** An event as a sentence, with names, and their ids on hover; a record without a name is shown by its id. */
import { Children, type ReactNode } from 'react'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import type { SentencePart } from '#sdk/event-sentences/parts.ts'
import { eventSentence } from '#sdk/event-sentences/sentence.ts'
import classes from '../../components/people/sentence.module.css'
import { Breakable } from '../../components/values/breakable.tsx'
import { formatDay, formatMoment } from '../../components/values/times.ts'

export function EventSentence({ event, names }: NamedEvent) {
  const parts = eventSentence(event, {
    names,
    formatTime: (at, hasTime) => (hasTime ? formatMoment(at) : formatDay(at)),
  })
  return <span className={classes.sentence}>{Children.toArray(parts.map(nodeOf))}</span>
}

function nodeOf(part: SentencePart): ReactNode {
  if (typeof part === 'string') return part
  if (part.kind === 'value') return <bdi className={classes.value}>{part.text}</bdi>
  if (part.text === part.id) return <bdi className={classes.id}>{part.id}</bdi>
  return (
    <bdi className={classes.name} {...(part.id !== undefined && { title: part.id })}>
      <Breakable>{part.text}</Breakable>
    </bdi>
  )
}
