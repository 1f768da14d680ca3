/** The types of events: the only place that says what each of them means. The server, the console and the reference read it. */
import { KEY_EVENT_TYPES } from './key-event-types.ts'
import { ORGANIZATION_EVENT_TYPES } from './organization-event-types.ts'

/** No field of an event ever holds a secret. */
export const EVENT_TYPES = { ...KEY_EVENT_TYPES, ...ORGANIZATION_EVENT_TYPES }

export type EventType = keyof typeof EVENT_TYPES

/** Every type. */
export const TYPES = Object.keys(EVENT_TYPES) as EventType[]

/** `permission.*`, `document.migration.*`: each stands for all types with that beginning. */
export const FAMILIES = [
  ...new Set(
    TYPES.flatMap((type) => {
      const parts = type.split('.')
      return parts.slice(1).map((_, length) => `${parts.slice(0, length + 1).join('.')}.*`)
    }),
  ),
]

/** The types that match a filter of types and families. */
export const typesOf = (filter: readonly string[]): EventType[] =>
  TYPES.filter((type) => filter.some((one) => one === type || (one.endsWith('*') && type.startsWith(one.slice(0, -1)))))
