/** The fields of every token: its name, and when it expires. */
import { NativeSelect, TextInput } from '@mantine/core'
import { DateTimeInput } from '../forms/date-time-input.tsx'

export interface Expiry {
  /** A number of days from now, or `at` the time in `endsAt` (Unix milliseconds). */
  ends: 'never' | 'at' | `${number}`
  endsAt: number | undefined
}

const ENDS = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'at', label: 'On a date' },
]

const DAY_SECONDS = 86_400

/** Returns Unix seconds, as the API takes them; nothing for a token that does not expire. */
export function expiryOf({ ends, endsAt }: Expiry): { expiresAt?: number } {
  if (ends === 'never') return {}
  if (ends === 'at') return endsAt === undefined ? {} : { expiresAt: Math.floor(endsAt / 1000) }
  return { expiresAt: Math.floor(Date.now() / 1000) + Number(ends) * DAY_SECONDS }
}

/** Returns the first fault of the values, as a sentence. */
export function faultOf({ name, ends, endsAt }: Expiry & { name: string }): string | undefined {
  if (name === '') return 'Enter a name.'
  return ends === 'at' && endsAt === undefined ? 'Enter when the token expires.' : undefined
}

export function TokenName({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      label="Name"
      description="What the token is for. Events caused with the token show this name."
      required
      data-autofocus
      autoComplete="off"
      value={name}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

export function TokenExpiry({ ends, endsAt, onChange }: Expiry & { onChange: (expiry: Partial<Expiry>) => void }) {
  return (
    <>
      <NativeSelect
        label="Expires"
        data={ENDS}
        value={ends}
        onChange={({ currentTarget }) => onChange({ ends: currentTarget.value as Expiry['ends'] })}
      />
      {ends === 'at' && (
        <DateTimeInput label="Date and time" required value={endsAt} onChange={(endsAt) => onChange({ endsAt })} />
      )}
    </>
  )
}
