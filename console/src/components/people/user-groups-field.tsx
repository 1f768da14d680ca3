/** A field that selects user groups of an organization; the server searches them by name and id. */
import { MultiSelect, Pill } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pageQuery } from '../../queries/pages/pages.ts'
import { userGroupsQuery } from '../../queries/users/groups.ts'
import { useKey } from '../../session/use-session.ts'
import { useFound } from '../search/use-found.ts'
import { Person } from './person.tsx'

interface UserGroupsFieldProps {
  organizationId: string
  value: string[]
  onChange: (groupIds: string[]) => void
}

/** Not shown where the organization has no user groups. */
export function UserGroupsField({ organizationId, value, onChange }: UserGroupsFieldProps) {
  const [typed, setTyped] = useState('')
  const key = useKey()
  const { data: { rows = [] } = {} } = useQuery(pageQuery(userGroupsQuery(key, organizationId)))
  const text = typed.trim()
  const { found } = useFound(key, text, { kinds: ['userGroup'], organizationId })
  if (rows.length === 0 && value.length === 0) return null
  const names = new Map([
    ...rows.map(({ groupId, groupName }) => [groupId, groupName] as const),
    ...found.map(({ id, name }) => [id, name] as const),
  ])
  const offered = text === '' ? rows.map(({ groupId }) => groupId) : found.map(({ id }) => id)
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
      data={[...new Set([...value, ...offered])]}
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
