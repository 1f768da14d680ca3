/** Finds one by its whole id: the API has no search by a part. */
import { ActionIcon, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'

export function FindById({ label, onFind }: { label: string; onFind: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  function submit(event: FormEvent): void {
    event.preventDefault()
    onFind(typed.trim())
  }
  function clear(): void {
    setTyped('')
    onFind('')
  }
  return (
    <search>
      <form onSubmit={submit}>
        <TextInput
          maw={360}
          aria-label={label}
          placeholder={label}
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            typed === '' ? null : (
              <ActionIcon variant="subtle" color="gray" aria-label="Clear" onClick={clear}>
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )
          }
        />
      </form>
    </search>
  )
}
