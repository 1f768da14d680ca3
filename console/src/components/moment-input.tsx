/** A moment, entered in the reader's zone. */
import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

interface MomentInputProps {
  label: string
  description?: ReactNode
  required?: boolean
  /** Milliseconds since 1970; undefined: none. */
  value: number | undefined
  onChange: (value: number | undefined) => void
}

/** As the field of the browser has it, which knows no zone. */
function localText(at: number): string {
  const moment = new Date(at)
  return new Date(at - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

export function MomentInput({ value, onChange, ...rest }: MomentInputProps) {
  return (
    <TextInput
      {...rest}
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
