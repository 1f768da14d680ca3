/** A field for a date and time, in the time zone of the browser, which it names. */
import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

interface MomentInputProps {
  label: string
  /** Said before the time zone. */
  description?: string
  error?: ReactNode
  required?: boolean
  /** Unix milliseconds; undefined when empty. */
  value: number | undefined
  onChange: (value: number | undefined) => void
}

/** Formats a time for a `datetime-local` field, which has no time zone. */
function localText(at: number): string {
  const moment = new Date(at)
  return new Date(at - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

const ZONE = `In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`

export function DateTimeInput({ value, onChange, description = '', ...rest }: MomentInputProps) {
  return (
    <TextInput
      {...rest}
      description={`${description} ${ZONE}`.trim()}
      type="datetime-local"
      step={1}
      value={value === undefined ? '' : localText(value)}
      onChange={({ currentTarget }) => {
        const at = new Date(currentTarget.value).getTime()
        onChange(Number.isNaN(at) ? undefined : at)
      }}
    />
  )
}
