/** Edits of stored values, kept until they are saved or discarded. */
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { useState } from 'react'

type Changes<Values> = {
  [Field in keyof Values]?: Values[Field] extends Plain ? Values[Field] : Changes<Values[Field]>
}

type Plain = string | number | boolean | null | readonly unknown[]

/**
 * Returns a draft of stored settings, and the props of the form that saves it. Only changed fields are sent. `onSaved`
 * gets the fields that would restore the previous values.
 */
export function useSettings<Values extends object, Result>(
  stored: Values,
  save: UseMutationOptions<Result, Error, Changes<Values>>,
  onSaved: (previous: Changes<Values>) => void,
) {
  const [draft, set] = useState<Values>()
  // Without edits, the values follow those of the server.
  const values = draft ?? stored
  const changes = changesOf(stored, values)
  const discard = () => set(undefined)
  const update = useMutation({
    ...save,
    onSuccess: () => onSaved(changesOf(values, stored) ?? {}),
    // By then the stored values are refetched: the previous ones are not shown in between.
    onSettled: (_result, error) => {
      if (error === null) discard()
    },
  })
  const form = {
    changed: changes !== undefined,
    busy: update.isPending,
    error: update.error,
    onSave: () => changes && update.mutate(changes),
    onDiscard: discard,
  }
  return { values, set, form }
}

/** Returns the fields that differ, as an update takes them; undefined if there are none. */
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
