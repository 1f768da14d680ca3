/** What an auth token is for, what it may do, and how long. */
import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core'
import type { AuthToken } from '#sdk/generated/operations.ts'
import { MomentInput } from '../../components/moment-input.tsx'

type Scope = AuthToken['scopes'][number]

export interface TokenValues {
  name: string
  scopes: Scope[]
  /** Days from now, or at a moment (milliseconds). */
  ends: 'never' | 'at' | `${number}`
  endsAt: number | undefined
}

const SCOPES: readonly { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'read', description: 'Reads the data of the key, and asks who may do what.' },
  {
    value: 'write',
    label: 'write',
    description: 'Changes the data of the key: organizations, folders, documents, users, grants.',
  },
  { value: 'admin', label: 'admin', description: 'Reads and changes its settings, webhooks and domains.' },
]

const ENDS = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'at', label: 'At a time' },
]

const DAY_SECONDS = 86_400

/** Unix seconds, as the API takes them. */
export function expiresAtOf({ ends, endsAt }: TokenValues): number | undefined {
  if (ends === 'never') return undefined
  if (ends === 'at') return endsAt === undefined ? undefined : Math.floor(endsAt / 1000)
  return Math.floor(Date.now() / 1000) + Number(ends) * DAY_SECONDS
}

/** What is missing, in a sentence. */
export function faultOf({ name, scopes, ends, endsAt }: TokenValues): string | undefined {
  if (name === '') return 'Enter a name.'
  if (scopes.length === 0) return 'Choose at least one scope.'
  return ends === 'at' && endsAt === undefined ? 'Enter when it ends.' : undefined
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
        description="What the token is for. Events of what is done with it show this name."
        required
        data-autofocus
        autoComplete="off"
        value={values.name}
        onChange={({ currentTarget }) => onChange({ ...values, name: currentTarget.value })}
      />
      <Checkbox.Group
        label="Scopes"
        description="What it may do. None of them includes another."
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
        label="It ends"
        data={ENDS}
        value={values.ends}
        onChange={({ currentTarget }) => onChange({ ...values, ends: currentTarget.value as TokenValues['ends'] })}
      />
      {values.ends === 'at' && (
        <MomentInput
          label="At"
          description="In your time zone. At that very second it is over."
          required
          value={values.endsAt}
          onChange={(endsAt) => onChange({ ...values, endsAt })}
        />
      )}
    </Stack>
  )
}
