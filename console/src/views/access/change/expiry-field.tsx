/** The field for the expiry of a grant: never, in a number of days, or at a time in the browser's time zone. */
import { Group, NativeSelect } from '@mantine/core'
import { DateTimeInput } from '../../../components/forms/date-time-input.tsx'

const DAY_SECONDS = 86_400

export interface Expiry {
  kind: 'never' | '1' | '7' | '30' | '90' | 'date'
  /** The moment for `date`, in Unix milliseconds; undefined until one is entered. */
  date: number | undefined
}

const KINDS: readonly { value: Expiry['kind']; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: '1', label: 'In 1 day' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: 'date', label: 'On a date' },
]

export function expiryOf(expiresAt: number | undefined): Expiry {
  if (expiresAt === undefined) return { kind: 'never', date: undefined }
  return { kind: 'date', date: expiresAt * 1000 }
}

/** Returns Unix seconds, undefined for never, and NaN when no date is entered. */
export function secondsOf({ kind, date }: Expiry): number | undefined {
  if (kind === 'never') return undefined
  if (kind === 'date') return Math.floor((date ?? Number.NaN) / 1000)
  return Math.floor(Date.now() / 1000) + Number(kind) * DAY_SECONDS
}

export function expiryFault(expiry: Expiry): string | null {
  const seconds = secondsOf(expiry)
  if (Number.isNaN(seconds)) return 'Enter a date and a time.'
  return seconds !== undefined && seconds * 1000 <= Date.now() ? 'This time has already passed.' : null
}

interface ExpiryFieldProps {
  value: Expiry
  onChange: (value: Expiry) => void
  error?: string | undefined
}

export function ExpiryField({ value, onChange, error }: ExpiryFieldProps) {
  return (
    <Group align="start" grow>
      <NativeSelect
        label="Expires"
        data={[...KINDS]}
        value={value.kind}
        error={value.kind === 'date' ? undefined : error}
        onChange={({ currentTarget }) => onChange({ ...value, kind: currentTarget.value as Expiry['kind'] })}
      />
      {value.kind === 'date' && (
        <DateTimeInput
          label="Date and time"
          value={value.date}
          error={error}
          onChange={(date) => onChange({ ...value, date })}
        />
      )}
    </Group>
  )
}
