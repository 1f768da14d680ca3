/** Searches while one types. */
import { ActionIcon, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'

export function UserSearch({ typed, onType }: { typed: string; onType: (text: string) => void }) {
  return (
    <search style={{ flex: '1 1 14rem', maxWidth: 360 }}>
      <TextInput
        aria-label="Search by id, name or e-mail address"
        placeholder="Id, name or e-mail address"
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
    </search>
  )
}
