/** A field that picks one record by its name, id or e-mail address. If an id is enough, it can be typed. */
import { useEffect, useState } from 'react'
import type { FoundKind } from '../../queries/search.ts'
import type { Picked } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { ComboboxField, type FieldProps } from '../combobox/combobox-field.tsx'
import { FAILED, foundOption, keyOfPicked, nothingFound, type PickedOption, typedOption } from './found-options.tsx'
import { useFound } from './use-found.ts'

export interface PickerProps extends FieldProps {
  kinds: readonly FoundKind[]
  /** Searches only there. */
  organizationId?: string
  value: Picked | undefined
  /** `isLeft`: the field was left with an id in it, which was not chosen from the list. */
  onChange: (picked: Picked | undefined, isLeft?: boolean) => void
  /** Offered before anything is typed. */
  offered?: readonly Picked[]
  /** The kind of a typed id that is not found; without it, only found records can be picked. */
  typedKind?: FoundKind
  clearable?: boolean
}

const NOTHING: readonly Picked[] = []

const NOT_SELECTED = 'Nothing is selected yet: choose from the list.'
const NOT_CHANGED = 'This is not selected yet: choose from the list.'

export function Picker(props: PickerProps) {
  const { kinds, organizationId = '', value, onChange, offered = NOTHING, typedKind, clearable, ...field } = props
  const key = useKey()
  const [typed, setTyped] = useState<string>()
  const text = typed?.trim() ?? ''
  /** The text that was in the field when it was left: it looks like a choice, and is none. */
  const [leftText, setLeftText] = useState('')
  const within = organizationId === '' ? {} : { organizationId }
  const { found, isPending, error } = useFound(key, text, { kinds: [...kinds], ...within })
  // A link names things by their ids alone.
  const nameless = value !== undefined && value.name === undefined ? value.id : ''
  const named = useFound(key, nameless, { kinds: [...kinds], ...within }).found.find(({ id }) => id === nameless)
  const listed: readonly Picked[] = text === '' ? offered : found
  const takesTyped = typedKind !== undefined && text !== '' && !isPending && !listed.some(({ id }) => id === text)
  const options: PickedOption[] = [
    ...listed.map((one) => foundOption(one, organizationId === '', typedKind === undefined)),
    ...(takesTyped ? [typedOption({ kind: typedKind, id: text, ...within }, listed.length === 0)] : []),
  ]
  const isLeft = text !== '' && leftText === text
  // A whole id needs no choice. What else was typed may be the beginning of several names.
  const withId = options.filter(({ picked }) => picked.id === text)
  const meant = isPending || (takesTyped && listed.length > 0) ? undefined : withId[0]?.picked
  const isMeant = isLeft && withId.length === 1 && meant !== undefined
  useEffect(() => {
    if (!isMeant || meant === undefined) return
    setTyped(undefined)
    onChange(meant, true)
  })
  return (
    <ComboboxField
      {...field}
      error={field.error || (isLeft && !isPending && !isMeant && (value === undefined ? NOT_SELECTED : NOT_CHANGED))}
      picked={shownName(value?.name ?? named?.name, value?.id ?? '')}
      selectedKey={value === undefined ? undefined : keyOfPicked(value)}
      typed={typed}
      onType={setTyped}
      onLeave={() => (text === '' && value !== undefined ? setTyped(undefined) : setLeftText(text))}
      onFocus={(event) => {
        setLeftText('')
        field.onFocus?.(event)
      }}
      options={options}
      isPending={isPending}
      hasFailed={error !== null}
      message={text === '' ? undefined : error !== null ? FAILED : nothingFound(kinds)}
      onPick={({ picked }) => {
        setTyped(undefined)
        onChange(picked)
      }}
      onClear={clearable ? () => onChange(undefined) : undefined}
    />
  )
}
