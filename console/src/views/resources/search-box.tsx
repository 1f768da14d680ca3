/** Filters the loaded rows while typing; Enter searches the whole organization. */
import { Text } from '@mantine/core'
import type { FormEvent } from 'react'
import { SearchField } from '../../components/search-field.tsx'

interface SearchBoxProps {
  typed: string
  /** Describes the result. */
  status: string
  onType: (text: string) => void
  onFind: (text: string) => void
}

export function SearchBox({ typed, status, onType, onFind }: SearchBoxProps) {
  function submit(event: FormEvent): void {
    event.preventDefault()
    onFind(typed.trim())
  }
  return (
    <search>
      <form onSubmit={submit}>
        <SearchField
          label="Find by name or id"
          placeholder="Filter this folder, or press Enter to search the whole organization"
          typed={typed}
          onType={onType}
        />
      </form>
      <Text size="xs" c="dimmed" role="status" mt={4} mih="1.2em">
        {status}
      </Text>
    </search>
  )
}
