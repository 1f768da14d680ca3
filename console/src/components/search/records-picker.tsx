/** A field that picks several records of one kind, which the server searches by name and id. */
import { useState } from 'react'
import type { Picked } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { ManyPicker, type ManyPickerProps } from './many-picker.tsx'
import { useFound } from './use-found.ts'

interface RecordsPickerProps extends Omit<ManyPickerProps, 'typed' | 'onType' | 'search'> {
  /** Searches only there. */
  organizationId?: string
  /** Offered before anything is typed. */
  offered?: readonly Picked[]
}

export function RecordsPicker({ organizationId, offered = [], ...field }: RecordsPickerProps) {
  const [typed, setTyped] = useState('')
  const within = organizationId === undefined ? {} : { organizationId }
  const search = useFound(useKey(), typed, { kinds: [field.kind], ...within })
  return (
    <ManyPicker
      {...field}
      typed={typed}
      onType={setTyped}
      search={typed.trim() === '' ? { ...search, found: offered } : search}
    />
  )
}
