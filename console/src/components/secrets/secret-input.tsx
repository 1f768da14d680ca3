/** A field for a stored secret, which the server returns masked: it can be kept, replaced or removed, but not edited. */
import { Button, Group, Input, PasswordInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Id } from '../values/id.tsx'

interface SecretInputProps {
  label: string
  description?: ReactNode
  /** The masked value that is stored; empty when there is none. */
  stored: string
  value: string
  onChange: (value: string) => void
}

export function SecretInput({ label, description, stored, value, onChange }: SecretInputProps) {
  const [replacing, setReplacing] = useState(false)
  const keeps = value === stored
  if (stored === '' || replacing)
    return (
      <PasswordInput
        label={label}
        description={description}
        placeholder={stored === '' ? undefined : 'Leave empty to keep the stored value'}
        value={keeps ? '' : value}
        autoComplete="off"
        autoFocus={replacing}
        visibilityToggleButtonProps={{ 'aria-label': 'Show input' }}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? stored : currentTarget.value)}
      />
    )
  return (
    <Input.Wrapper label={label} labelElement="div" description={description}>
      <Group gap="xs" mt={4} fz="sm">
        {keeps ? <Id copy={false}>{stored}</Id> : 'It will be removed.'}
        <Button size="xs" variant="default" aria-label={`Replace: ${label}`} onClick={() => setReplacing(true)}>
          Replace
        </Button>
        <Button
          size="xs"
          variant="default"
          aria-label={`${keeps ? 'Remove' : 'Keep'}: ${label}`}
          onClick={() => onChange(keeps ? '' : stored)}
        >
          {keeps ? 'Remove' : 'Keep'}
        </Button>
      </Group>
    </Input.Wrapper>
  )
}
