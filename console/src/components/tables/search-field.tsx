/** A search field with a button that clears it. */
import { ActionIcon, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'

interface SearchFieldProps {
  label: string
  placeholder: string
  typed: string
  onType: (text: string) => void
}

export function SearchField({ label, placeholder, typed, onType }: SearchFieldProps) {
  return (
    <TextInput
      maw={420}
      aria-label={label}
      placeholder={placeholder}
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
  )
}
