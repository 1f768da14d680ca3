/** Selects an organization: one that is loaded, or any other by its full id. */
import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { organizationsQuery } from '../queries/organizations.ts'
import { pageQuery } from '../queries/pages.ts'
import { useKey } from '../session/use-session.ts'

interface OrganizationSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  /** Empty when none is selected. */
  value: string
  onChange: (organizationId: string) => void
}

export function OrganizationSelect({ value, onChange, ...props }: OrganizationSelectProps) {
  const { data: { rows = [], next } = {} } = useQuery(pageQuery(organizationsQuery(useKey())))
  const [typed, setTyped] = useState('')
  const known = new Map(rows.map(({ id, organizationName }) => [id, organizationName ?? id]))
  // Only the first page is loaded: any other organization is selected by its id.
  const labels = new Set(known.values())
  const others = [value, next !== undefined ? typed.trim() : ''].filter(
    (id) => id !== '' && !known.has(id) && (id === value || !labels.has(id)),
  )
  return (
    <Select
      searchable
      nothingFoundMessage="No organization has this name or id"
      spellCheck={false}
      renderOption={({ option }) => <bdi>{option.label}</bdi>}
      {...props}
      value={value === '' ? null : value}
      data={[...known, ...new Map(others.map((id) => [id, id]))].map(([value, label]) => ({ value, label }))}
      onSearchChange={setTyped}
      onChange={(id) => onChange(id ?? '')}
    />
  )
}
