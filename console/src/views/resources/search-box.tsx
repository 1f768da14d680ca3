/** Narrows what is loaded while one types, and finds a whole id in the organization with Enter: the API has no search by a part. */
import { Text } from '@mantine/core'
import type { FormEvent } from 'react'
import { SearchField } from '../../components/search-field.tsx'

interface SearchBoxProps {
  typed: string
  /** What that comes to. */
  said: string
  onType: (text: string) => void
  onFind: (id: string) => void
}

export function SearchBox({ typed, said, onType, onFind }: SearchBoxProps) {
  function submit(event: FormEvent): void {
    event.preventDefault()
    onFind(typed.trim())
  }
  return (
    <search>
      <form onSubmit={submit}>
        <SearchField
          label="Find by name or id"
          placeholder="Name here, or a whole id and Enter"
          typed={typed}
          onType={onType}
        />
      </form>
      <Text size="xs" c="dimmed" role="status" mt={4} mih="1.2em">
        {said}
      </Text>
    </search>
  )
}
