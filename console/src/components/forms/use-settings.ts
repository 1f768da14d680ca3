/** Edits of stored values, kept until they are saved or discarded. */
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { useState } from 'react'

type Changes<Values> = {
  [Field in keyof Values]?: Values[Field] extends Plain ? Values[Field] : Changes<Values[Field]>
}

type Plain = string | number | boolean | null | readonly unknown[]

/**
 * Returns stored settings with the edits of the user, and the props of the form that saves these. Only the fields that
 * the user has changed are kept and sent, so that the form shows, and never reverts, what others save meanwhile. What is
 * edited while the form saves is kept for the next time. `onSaved` gets the fields that would restore the previous values.
 */
export function useSettings<Values extends object, Result>(
  stored: Values,
  save: UseMutationOptions<Result, Error, Changes<Values>>,
  onSaved: (previous: Changes<Values>) => void,
) {
  const [edits, setEdits] = useState<Changes<Values>>()
  const [saving, setSaving] = useState<Changes<Values>>()
  const base = withChanges(stored, saving)
  const values = withChanges(base, edits)
  const update = useMutation({
    ...save,
    onMutate: (changes) => changesOf(withChanges(stored, changes), stored) ?? {},
    onSuccess: (_result, _changes, previous) => onSaved(previous),
    // By then the stored values are refetched: the previous ones are not shown in between.
    onSettled: (_result, error, changes) => {
      setSaving(undefined)
      if (error !== null) setEdits((later) => withChanges(changes, later))
    },
  })
  function onSave(): void {
    const changes = changesOf(stored, values)
    if (changes === undefined || update.isPending) return
    setSaving(changes)
    setEdits(undefined)
    update.mutate(changes)
  }
  const form = {
    changed: changesOf(stored, values) !== undefined,
    busy: update.isPending,
    error: update.error,
    onSave,
    onDiscard: () => setEdits(undefined),
  }
  return { values, set: (next: Values) => setEdits(changesOf(base, next)), form }
}

/** Returns the values with changes as `changesOf` returns them. */
function withChanges<Values extends object>(values: Values, changes: object | undefined): Values {
  const changed = Object.entries(changes ?? {}).map(([field, value]: [string, unknown]) => {
    const old = (values as Record<string, unknown>)[field]
    return [field, isFields(value) && isFields(old) ? withChanges(old, value) : value]
  })
  return { ...values, ...Object.fromEntries(changed) }
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
