/** The fields of an auth token: name, scopes and expiry. */
import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core'
import type { AuthToken } from '#sdk/generated/operations.ts'
import { DateTimeInput } from '../../components/date-time-input.tsx'

type Scope = AuthToken['scopes'][number]

export interface TokenValues {
  name: string
  scopes: Scope[]
  /** A number of days from now, or `at` the time in `endsAt` (Unix milliseconds). */
  ends: 'never' | 'at' | `${number}`
  endsAt: number | undefined
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

const ENDS = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'at', label: 'On a date' },
]

const DAY_SECONDS = 86_400

/** Returns Unix seconds, as the API takes them. */
export function expiresAtOf({ ends, endsAt }: TokenValues): number | undefined {
  if (ends === 'never') return undefined
  if (ends === 'at') return endsAt === undefined ? undefined : Math.floor(endsAt / 1000)
  return Math.floor(Date.now() / 1000) + Number(ends) * DAY_SECONDS
}

/** Returns the first fault of the values, as a sentence. */
export function faultOf({ name, scopes, ends, endsAt }: TokenValues): string | undefined {
  if (name === '') return 'Enter a name.'
  if (scopes.length === 0) return 'Choose at least one scope.'
  return ends === 'at' && endsAt === undefined ? 'Enter when the token expires.' : undefined
}

interface TokenFieldsProps {
  values: TokenValues
  onChange: (values: TokenValues) => void
}

export function TokenFields({ values, onChange }: TokenFieldsProps) {
  return (
    <Stack gap="sm">
      <TextInput
        label="Name"
        description="What the token is for. Events caused with the token show this name."
        required
        data-autofocus
        autoComplete="off"
        value={values.name}
        onChange={({ currentTarget }) => onChange({ ...values, name: currentTarget.value })}
      />
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
      <NativeSelect
        label="Expires"
        data={ENDS}
        value={values.ends}
        onChange={({ currentTarget }) => onChange({ ...values, ends: currentTarget.value as TokenValues['ends'] })}
      />
      {values.ends === 'at' && (
        <DateTimeInput
          label="Date and time"
          description="In your time zone."
          required
          value={values.endsAt}
          onChange={(endsAt) => onChange({ ...values, endsAt })}
        />
      )}
    </Stack>
  )
}
