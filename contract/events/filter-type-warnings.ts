/** Warns about types of events in filters that are never sent: programs written for comments name theirs (rules/contract.md#warnings). */

import { resembling } from '../core/metadata.ts'
import { EVENT_TYPES } from './event-types.ts'

/** Returns `{ warnings }` with a sentence for each unknown type, or nothing. */
export function filterTypeWarnings(filterTypes: readonly string[] | null | undefined): { warnings?: string[] } {
  const warnings = [...new Set(filterTypes)].filter((type) => !Object.hasOwn(EVENT_TYPES, type)).map(warningOf)
  return warnings.length === 0 ? {} : { warnings }
}

function warningOf(type: string): string {
  const known = resembling(type, Object.keys(EVENT_TYPES))
  const next = known === undefined ? 'the reference lists all types' : `did you mean "${known}"?`
  return `filterTypes: there are no events of type "${type}", so nothing is sent for it; ${next}`
}
