/** Narrows what is loaded while one types, and finds a whole id in the organization with Enter: the API has no search by a part. */
import { ActionIcon, Text, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import type { FormEvent } from 'react'

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
        <TextInput
          maw={420}
          aria-label="Find by name or id"
          placeholder="Name or id; Enter looks everywhere for the id"
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={({ currentTarget }) => onType(currentTarget.value)}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            typed === '' ? null : (
              <ActionIcon variant="subtle" color="gray" aria-label="Clear" onClick={() => onType('')}>
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )
          }
        />
      </form>
      <Text size="xs" c="dimmed" role="status" mt={4} mih="1.2em">
        {said}
      </Text>
    </search>
  )
}
