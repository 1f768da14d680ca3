/** A field that picks several records of one kind, by their names, ids or e-mail addresses. */
import { useState } from 'react'
import type { FoundKind } from '../../queries/search.ts'
import type { Picked } from '../../recent.ts'
import type { FieldProps } from '../combobox/combobox-field.tsx'
import { ComboboxMany } from '../combobox/combobox-many.tsx'
import { FAILED, foundOption, nothingFound, typedOption } from './found-options.tsx'

export interface ManyPickerProps extends Omit<FieldProps, 'onFocus'> {
  kind: FoundKind
  value: readonly string[]
  onChange: (ids: string[]) => void
  typed: string
  onType: (typed: string) => void
  /** The results for what is typed. */
  search: { found: readonly Picked[]; isPending: boolean; error: Error | null }
  /** Returns the name of a picked id that was not picked here, if it is known. */
  nameOf?: (id: string) => string | undefined
  /** Said when what is typed finds nothing that can be picked. */
  nothing?: string | undefined
  /** A typed id that is not found can be picked. */
  takesTyped?: boolean
}

export function ManyPicker(props: ManyPickerProps) {
  const { kind, value, onChange, typed, onType, nameOf, nothing, takesTyped = false, ...others } = props
  const { search, ...field } = others
  const { found, isPending, error } = search
  const [labels, setLabels] = useState<ReadonlyMap<string, string>>(new Map())
  const text = typed.trim()
  const isTaken = takesTyped && text !== '' && !isPending && !found.some(({ id }) => id === text)
  const options = [
    ...found.map((one) => foundOption(one, false, !takesTyped)),
    ...(isTaken ? [typedOption({ kind, id: text }, found.length === 0)] : []),
  ].map((option) => ({ ...option, key: option.picked.id }))
  return (
    <ComboboxMany
      {...field}
      picked={value.map((id) => ({ key: id, label: labels.get(id) ?? nameOf?.(id) ?? id }))}
      typed={typed}
      onType={onType}
      options={options}
      isPending={isPending}
      hasFailed={error !== null}
      message={text === '' ? undefined : error !== null ? FAILED : (nothing ?? nothingFound([kind]))}
      onPick={({ label, picked: { id, name } }) => {
        if (name !== undefined) setLabels(new Map([...labels, [id, label]]))
        onType('')
        onChange([...value, id])
      }}
      onRemove={(removed) => onChange(value.filter((id) => id !== removed))}
    />
  )
}
