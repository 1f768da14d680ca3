/** Edits of stored values, kept until they are saved or discarded. */
import { useState } from 'react'

interface Draft<Values extends object> {
  values: Values
  set: (values: Values) => void
  /** The fields that differ from the stored ones, as an update takes them; undefined when there are none. */
  changes: Changes<Values> | undefined
  discard: () => void
}

type Changes<Values> = {
  [Field in keyof Values]?: Values[Field] extends Plain ? Values[Field] : Changes<Values[Field]>
}

type Plain = string | number | boolean | null | readonly unknown[]

/** `stored` are the values of the server; without edits the values follow them. */
export function useDraft<Values extends object>(stored: Values): Draft<Values> {
  const [draft, setDraft] = useState<Values>()
  const values = draft ?? stored
  return { values, set: setDraft, changes: changesOf(stored, values), discard: () => setDraft(undefined) }
}

export function changesOf<Values extends object>(before: Values, after: Values): Changes<Values> | undefined {
  const found = Object.entries(after).flatMap(([field, value]): [string, unknown][] => {
    const old = (before as Record<string, unknown>)[field]
    if (isFields(value) && isFields(old)) {
      const inside = changesOf(old, value)
      return inside === undefined ? [] : [[field, inside]]
    }
    return JSON.stringify(old) === JSON.stringify(value) ? [] : [[field, value]]
  })
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Changes<Values>)
}

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
