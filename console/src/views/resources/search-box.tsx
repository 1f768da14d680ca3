/** Finds folders and documents of the whole organization while somebody types. */
import { Text } from '@mantine/core'
import { SearchField } from '../../components/tables/search-field.tsx'

interface SearchBoxProps {
  typed: string
  searched: string
  onType: (text: string) => void
}

export function SearchBox({ typed, searched, onType }: SearchBoxProps) {
  return (
    <search>
      <SearchField
        label="Find by name or id"
        placeholder="Find in the organization by name or id"
        typed={typed}
        onType={onType}
      />
      <Text size="xs" c="dimmed" role="status" mt={4} mih="1.2em">
        {searched !== '' && 'Found in the whole organization, best match first.'}
      </Text>
    </search>
  )
}
