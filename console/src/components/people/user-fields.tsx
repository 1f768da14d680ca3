/** A field that selects users. The server searches by id, name and address; unknown users are entered by their full id. */
import { MultiSelect, Pill } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Profile, searchUsersQuery, userNamesQuery } from '../../queries/access/people.ts'
import { useKey } from '../../session/use-session.ts'
import { useFound } from '../search/use-found.ts'
import { Person } from './person.tsx'

const DEBOUNCE_MS = 150

/** Returns users with a profile, and users of the organization, who may have none. */
function useUserSearch(organizationId: string, typed: string): ReadonlyMap<string, Profile> {
  const key = useKey()
  const { found } = useFound(key, typed, { kinds: ['user'] })
  const [text] = useDebouncedValue(typed.trim(), DEBOUNCE_MS)
  const { data = [] } = useQuery({
    ...searchUsersQuery(key, organizationId, text),
    enabled: organizationId !== '',
    placeholderData: keepPreviousData,
  })
  const profiles = found.map(({ id, name, email }): [string, Profile] => [
    id,
    { userId: id, ...(name !== undefined && { name }), ...(email !== undefined && { email }) },
  ])
  return new Map([...profiles, ...data.map((user): [string, Profile] => [user.userId, user])])
}

/** The server has already filtered the options. */
const keepAll = <Options,>({ options }: { options: Options }): Options => options

const renderUser = (users: ReadonlyMap<string, Profile>, userId: string) => (
  <Person userId={userId} name={users.get(userId)?.name} />
)

interface UsersFieldProps {
  organizationId: string
  value: string[]
  onChange: (userIds: string[]) => void
  error?: string | undefined
  /** Whether the field has the focus when its dialog opens. */
  autofocus?: boolean
}

export function UsersField({ organizationId, value, onChange, error, autofocus = true }: UsersFieldProps) {
  const [typed, setTyped] = useState('')
  const found = useUserSearch(organizationId, typed)
  const [initial] = useState(value)
  const { data: initialNames } = useQuery(userNamesQuery(useKey(), initial))
  const [chosenNames, setChosenNames] = useState<ReadonlyMap<string, string>>(new Map())
  const nameOf = (userId: string) => found.get(userId)?.name ?? chosenNames.get(userId) ?? initialNames?.get(userId)
  const id = typed.trim()
  const options = [...new Set([...value, ...found.keys(), ...(id === '' ? [] : [id])])]
  return (
    <MultiSelect
      label="Users"
      description="Search by id, name or e-mail address, or enter the full id of a new user."
      placeholder={value.length === 0 ? 'Select users' : undefined}
      data-autofocus={autofocus || undefined}
      searchable
      hidePickedOptions
      spellCheck={false}
      maxDropdownHeight={260}
      error={error}
      value={value}
      onChange={(userIds) => {
        const names = userIds.flatMap((userId) => {
          const name = nameOf(userId)
          return name === undefined ? [] : [[userId, name] as const]
        })
        setChosenNames(new Map(names))
        onChange(userIds)
      }}
      searchValue={typed}
      onSearchChange={setTyped}
      data={options}
      filter={keepAll}
      selectFirstOptionOnChange
      renderOption={({ option }) =>
        option.value === id && !found.has(id) ? (
          <span>Use the id {renderUser(found, id)}</span>
        ) : (
          renderUser(found, option.value)
        )
      }
      renderPill={({ option, onRemove }) => (
        <Pill withRemoveButton onRemove={onRemove} removeButtonProps={{ 'aria-label': `Remove ${option.value}` }}>
          <bdi title={String(option.value)}>{nameOf(String(option.value)) ?? String(option.value)}</bdi>
        </Pill>
      )}
    />
  )
}
