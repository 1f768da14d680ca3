/**
 * Says what an event means in one sentence, with names first. For the console, the command line and webhooks; not part
 * of the published package.
 */
import type { Event, EventType } from '../generated/operations.ts'
import { KEY_SENTENCES } from './key-sentences.ts'
import { ORGANIZATION_SENTENCES, type SentenceOf } from './organization-sentences.ts'
import { type Sentence, type SentencePart, say } from './parts.ts'
import { PEOPLE_SENTENCES } from './people-sentences.ts'
import { subjectsOf, type Wording } from './subjects.ts'

const SENTENCES: Readonly<Record<EventType, SentenceOf>> = {
  ...KEY_SENTENCES,
  ...ORGANIZATION_SENTENCES,
  ...PEOPLE_SENTENCES,
}

/** The sentence about types that only a newer server has. */
const unknownType: SentenceOf = ({ actor, event }) => say`${actor} caused ${event.type.replaceAll(/[._]/g, ' ')}`

/** Returns the sentence about an event, without a full stop. */
export function eventSentence(event: Event, wording: Wording): Sentence {
  const sentenceOf: SentenceOf | undefined = SENTENCES[event.type]
  const [first, ...rest] = (sentenceOf ?? unknownType)(subjectsOf(event, wording))
  return first === undefined ? [] : [capitalized(first), ...rest]
}

/** Names stay as they are. */
const capitalized = (part: SentencePart): SentencePart =>
  typeof part === 'string' ? part.charAt(0).toUpperCase() + part.slice(1) : part

/** Made when the first day is written: the first format of a process takes longer than many commands. */
let formats: { day: Intl.DateTimeFormat; timeOfDay: Intl.DateTimeFormat } | undefined
const made = () => ({
  day: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
  timeOfDay: new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' }),
})

/** Writes the day in UTC, the same everywhere, and the time of the day too if that matters. */
export function formatUtcDay(at: number, hasTime = false): string {
  formats ??= made()
  const { day, timeOfDay } = formats
  return hasTime ? `${day.format(at)}, ${timeOfDay.format(at)} UTC` : day.format(at)
}
