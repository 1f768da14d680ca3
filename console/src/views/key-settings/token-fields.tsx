/** The fields of an auth token: name, scopes and expiry. */
import { Checkbox, Stack } from '@mantine/core'
import type { AuthToken } from '#sdk/generated/operations.ts'
import { type Expiry, faultOf, TokenExpiry, TokenName } from '../../components/secrets/token-expiry.tsx'

type Scope = AuthToken['scopes'][number]

export interface TokenValues extends Expiry {
  name: string
  scopes: Scope[]
}

const SCOPES: readonly { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'read', description: 'Reads the data of the key and checks access.' },
  {
    value: 'write',
    label: 'write',
    description: 'Changes the data of the key: organizations, folders, documents, users, grants.',
  },
  { value: 'admin', label: 'admin', description: 'Reads and changes the settings, webhooks and domains of the key.' },
]

/** Returns the first fault of the values, as a sentence. */
export const faultOfToken = (values: TokenValues): string | undefined =>
  values.name !== '' && values.scopes.length === 0 ? 'Choose at least one scope.' : faultOf(values)

interface TokenFieldsProps {
  values: TokenValues
  onChange: (values: TokenValues) => void
}

export function TokenFields({ values, onChange }: TokenFieldsProps) {
  return (
    <Stack gap="sm">
      <TokenName name={values.name} onChange={(name) => onChange({ ...values, name })} />
      <Checkbox.Group
        label="Scopes"
        description="What the token may do. No scope includes another."
        value={values.scopes}
        onChange={(scopes) => onChange({ ...values, scopes: scopes as Scope[] })}
      >
        <Stack gap="xs" mt="xs">
          {SCOPES.map((scope) => (
            <Checkbox key={scope.value} {...scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TokenExpiry
        ends={values.ends}
        endsAt={values.endsAt}
        onChange={(expiry) => onChange({ ...values, ...expiry })}
      />
    </Stack>
  )
}
