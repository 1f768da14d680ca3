/** The switch that gives an API key the role `commenter`. */
import { Switch } from '@mantine/core'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { PLAIN_ROLES } from './roles.ts'

interface CommentersProps {
  roles: readonly AccessRole[]
  onChange: (roles: AccessRole[]) => void
}

export function Commenters({ roles, onChange }: CommentersProps) {
  return (
    <Switch
      label="Commenters"
      description="Grants can have the role commenter, between viewer and editor: it reads, and writes threads and comments. It cannot be switched off while a grant, a pending invitation or the default access role has it."
      checked={roles.includes('commenter')}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.checked ? ['viewer', 'commenter', 'editor'] : [...PLAIN_ROLES])
      }
    />
  )
}
