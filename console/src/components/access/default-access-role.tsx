/** The choice of the default access role of an API key, with the meaning of each. */
import { Radio, Stack } from '@mantine/core'
import type { DefaultAccessRole as Role } from '#sdk/generated/operations.ts'

const ROLES: readonly { value: Role; label: string; description: string }[] = [
  { value: 'editor', label: 'Editor', description: 'Users without a grant can view and change public resources.' },
  {
    value: 'commenter',
    label: 'Commenter',
    description: 'Users without a grant can view public resources and comment on them.',
  },
  {
    value: 'viewer',
    label: 'Viewer',
    description: 'Users without a grant can view public resources. Only a grant lets them change one.',
  },
]

interface DefaultAccessRoleProps {
  value: Role
  /** The roles of the key. */
  roles: readonly Role[]
  onChange: (role: Role) => void
}

export function DefaultAccessRole({ value, roles, onChange }: DefaultAccessRoleProps) {
  return (
    <Radio.Group
      label="Default access role"
      description="The role that public documents and folders give to users without a grant."
      value={value}
      onChange={(role) => onChange(role as Role)}
    >
      <Stack gap="xs" mt="xs">
        {ROLES.filter((role) => roles.includes(role.value)).map((role) => (
          <Radio key={role.value} {...role} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
