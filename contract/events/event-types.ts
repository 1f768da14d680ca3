/**
 * The types of events, the only place that says what each of them means, and the warnings about types that are never
 * sent (rules/contract.md#warnings). The server, the console and the reference read it.
 */
import { COMMENT_ACT_TYPES } from '../comments/acts.ts'
import { resembling } from '../core/metadata.ts'
import type { Warning } from '../core/warnings.ts'
import { KEY_EVENT_TYPES } from './key-event-types.ts'
import { ORGANIZATION_EVENT_TYPES } from './organization-event-types.ts'

/** No field of an event ever holds a secret. */
export const EVENT_TYPES = { ...KEY_EVENT_TYPES, ...ORGANIZATION_EVENT_TYPES }

export type EventType = keyof typeof EVENT_TYPES

/** Every type. */
export const TYPES = Object.keys(EVENT_TYPES) as EventType[]

/** `permission.*`, `document.migration.*`: each matches all types with that beginning. */
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

/** Returns `{ warnings }` with a sentence for each unknown type, or nothing. */
export function filterTypeWarnings(filterTypes: readonly string[] | null | undefined): { warnings?: Warning[] } {
  const warnings = [...new Set(filterTypes)].filter((type) => !isSent(type)).map(warningOf)
  return warnings.length === 0 ? {} : { warnings }
}

const isSent = (type: string): boolean => Object.hasOwn(EVENT_TYPES, type) || COMMENT_ACT_TYPES.includes(type)

function warningOf(type: string): Warning {
  const known = resembling(type, [...Object.keys(EVENT_TYPES), ...COMMENT_ACT_TYPES])
  const next = known === undefined ? 'the reference lists all types' : `did you mean "${known}"?`
  return {
    code: 'event_type_never_sent',
    message: `filterTypes: there are no events of type "${type}", so nothing is sent for it; ${next}`,
  }
}
