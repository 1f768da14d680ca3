/** A field for a domain with its button. */
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Needs } from '../../session/permission.ts'
import { Failure } from '../feedback/failure.tsx'
import { PermittedFields } from '../permitted/permitted.tsx'

interface DomainFormProps {
  label: string
  placeholder: string
  action: string
  variant?: 'default'
  needs: Needs
  adding: { isPending: boolean; error: Error | null }
  /** `onAdded` empties the field. */
  onAdd: (domain: string, onAdded: () => void) => void
}

export function DomainForm({ label, placeholder, action, variant, needs, adding, onAdd }: DomainFormProps) {
  const [typed, setTyped] = useState('')
  const domain = typed.trim()
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (domain !== '') onAdd(domain, () => setTyped(''))
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <PermittedFields needs={needs}>
          <Group align="end" gap="xs">
            <TextInput
              flex={1}
              maw={400}
              label={label}
              placeholder={placeholder}
              spellCheck={false}
              autoComplete="off"
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
            <Button type="submit" {...(variant && { variant })} disabled={domain === ''} loading={adding.isPending}>
              {action}
            </Button>
          </Group>
        </PermittedFields>
        {adding.error !== null && <Failure error={adding.error} />}
      </Stack>
    </form>
  )
}
