/** A field that selects user groups of an organization by name or id; others than the first ones by their full id. */
import { MultiSelect, Pill } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pageQuery } from '../queries/pages.ts'
import { userGroupsQuery } from '../queries/users.ts'
import { useKey } from '../session/use-session.ts'
import { Person } from './person.tsx'

interface UserGroupsFieldProps {
  organizationId: string
  value: string[]
  onChange: (groupIds: string[]) => void
}

/** Not shown where the organization has no user groups. */
export function UserGroupsField({ organizationId, value, onChange }: UserGroupsFieldProps) {
  const [typed, setTyped] = useState('')
  const { data: { rows = [], next } = {} } = useQuery(pageQuery(userGroupsQuery(useKey(), organizationId)))
  if (rows.length === 0 && value.length === 0) return null
  const names = new Map(rows.map(({ groupId, groupName }) => [groupId, groupName]))
  const text = typed.trim().toLowerCase()
  const matching = rows.flatMap(({ groupId, groupName = '' }) =>
    [groupId, groupName].some((field) => field.toLowerCase().includes(text)) ? [groupId] : [],
  )
  const unlisted = next !== undefined && text !== '' ? [typed.trim()] : []
  return (
    <MultiSelect
      label="User groups"
      description="A grant of a group applies to its users who are members of the organization."
      placeholder={value.length === 0 ? 'Select groups' : undefined}
      searchable
      hidePickedOptions
      spellCheck={false}
      maxDropdownHeight={260}
      limit={50}
      nothingFoundMessage="No matching groups"
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      data={[...new Set([...value, ...matching, ...unlisted])]}
      filter={({ options }) => options}
      renderOption={({ option }) => <Person userId={option.value} name={names.get(option.value)} />}
      renderPill={({ option, onRemove }) => (
        <Pill withRemoveButton onRemove={onRemove} removeButtonProps={{ 'aria-label': `Remove ${option.value}` }}>
          <bdi>{names.get(String(option.value)) ?? String(option.value)}</bdi>
        </Pill>
      )}
    />
  )
}
