/** Fields that pick from a list which is already loaded: one item, or several. */
import { useState } from 'react'
import { ComboboxField, type FieldProps } from './combobox-field.tsx'
import { ComboboxMany } from './combobox-many.tsx'
import { matching } from './matching.ts'
import type { Option } from './use-combobox.ts'

interface ListPickerProps extends FieldProps {
  items: readonly Option[]
  /** The key of an item. */
  value: string | undefined
  onChange: (key: string) => void
  /** Shown where no item matches. */
  nothing: string
}

const labelOf = ({ label }: Option): string => label

export function ListPicker({ items, value, onChange, nothing, ...field }: ListPickerProps) {
  const [typed, setTyped] = useState<string>()
  const picked = items.find(({ key }) => key === value)?.label ?? value ?? ''
  return (
    <ComboboxField
      {...field}
      picked={picked}
      selectedKey={value}
      typed={typed}
      onType={setTyped}
      onLeave={() => picked !== '' && setTyped(undefined)}
      options={matching(items, typed ?? '', labelOf).items}
      isPending={false}
      hasFailed={false}
      message={nothing}
      onPick={({ key }) => {
        setTyped(undefined)
        onChange(key)
      }}
    />
  )
}

interface ListManyProps extends Omit<ListPickerProps, 'value' | 'onChange' | 'onFocus'> {
  value: readonly string[]
  onChange: (keys: string[]) => void
}

export function ListMany({ items, value, onChange, nothing, ...field }: ListManyProps) {
  const [typed, setTyped] = useState('')
  return (
    <ComboboxMany
      {...field}
      picked={value.map((key) => ({ key, label: items.find((item) => item.key === key)?.label ?? key }))}
      typed={typed}
      onType={setTyped}
      options={matching(items, typed, labelOf).items}
      isPending={false}
      hasFailed={false}
      message={nothing}
      onPick={({ key }) => {
        setTyped('')
        onChange([...value, key])
      }}
      onRemove={(removed) => onChange(value.filter((key) => key !== removed))}
    />
  )
}
