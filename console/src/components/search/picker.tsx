/** Fields that select by searching: one thing by its name, or an id as text. Both take a typed id too. */
import { Autocomplete, type AutocompleteProps, Select, type SelectProps } from '@mantine/core'
import { useState } from 'react'
import type { FoundKind } from '../../queries/search.ts'
import type { Picked } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { FoundOption, KIND_WORDS } from './found-option.tsx'
import { useFound } from './use-found.ts'

interface PickerProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  kinds: readonly FoundKind[]
  /** Searches only there. */
  organizationId?: string
  value: Picked | undefined
  onChange: (picked: Picked | undefined) => void
  /** Offered before anything is typed. */
  offered?: readonly Picked[]
  /** The kind of a typed id that is not found; without it, only found records can be picked. */
  typedKind?: FoundKind
}

const keyOfOption = ({ kind, organizationId, id }: Picked): string => JSON.stringify([kind, organizationId ?? null, id])

/** The server has already filtered the options. */
const keepAll = <Options,>({ options }: { options: Options }): Options => options

export function Picker(props: PickerProps) {
  const { kinds, organizationId = '', value, onChange, offered = [], typedKind, ...select } = props
  const [typed, setTyped] = useState('')
  const label = value?.name ?? value?.id ?? ''
  // What is picked stands in the field: nobody searches it.
  const text = typed === label ? '' : typed.trim()
  const within = organizationId === '' ? {} : { organizationId }
  const { found, isSearching, error } = useFound(useKey(), text, { kinds: [...kinds], ...within })
  const listed: readonly Picked[] = text === '' ? offered : found
  const isFound = listed.some(({ id }) => id === text)
  const typedId: Picked[] =
    typedKind !== undefined && text !== '' && !isFound ? [{ kind: typedKind, id: text, ...within }] : []
  const options = new Map(
    [...(value === undefined ? [] : [value]), ...listed, ...typedId].map((one) => [keyOfOption(one), one]),
  )
  const isTyped = (key: string) => typedId.some((one) => keyOfOption(one) === key)
  return (
    <Select
      searchable
      allowDeselect={false}
      spellCheck={false}
      maxDropdownHeight={320}
      selectFirstOptionOnChange
      nothingFoundMessage={messageOf(text, { kinds, isSearching, failed: error !== null })}
      filter={keepAll}
      {...select}
      value={value === undefined ? null : keyOfOption(value)}
      data={[...options].map(([value, one]) => ({ value, label: one.name ?? one.id }))}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(key) => onChange(key === null ? undefined : options.get(key))}
      renderOption={({ option }) => {
        const one = options.get(option.value)
        if (one === undefined) return null
        return isTyped(option.value) ? (
          <span>
            Use the id <bdi>{one.id}</bdi>
          </span>
        ) : (
          <FoundOption found={one} withOrganization={organizationId === ''} />
        )
      }}
    />
  )
}

interface Message {
  kinds: readonly FoundKind[]
  isSearching: boolean
  failed: boolean
}

function messageOf(text: string, { kinds, isSearching, failed }: Message): string {
  if (text === '') return 'Type a name or an id to search'
  if (isSearching) return 'Searching…'
  if (failed) return 'The search failed; enter the full id'
  const words = kinds.map((kind) => KIND_WORDS[kind].toLowerCase())
  return `No ${words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words[0]} has this name or id`
}

interface IdPickerProps extends Omit<AutocompleteProps, 'data' | 'value' | 'onChange'> {
  kinds: readonly FoundKind[]
  organizationId?: string
  value: string
  onChange: (id: string) => void
}

/** A field for an id, which offers records with a matching name or id. */
export function IdPicker({ kinds, organizationId = '', value, onChange, ...props }: IdPickerProps) {
  const within = organizationId === '' ? {} : { organizationId }
  const { found } = useFound(useKey(), value, { kinds: [...kinds], ...within })
  const byId = new Map(found.map((one) => [one.id, one]))
  return (
    <Autocomplete
      spellCheck={false}
      autoComplete="off"
      maxDropdownHeight={320}
      {...props}
      value={value}
      onChange={onChange}
      data={[...byId.keys()]}
      filter={keepAll}
      renderOption={({ option }) => {
        const one = byId.get(option.value)
        return one === undefined ? option.value : <FoundOption found={one} withOrganization={organizationId === ''} />
      }}
    />
  )
}
