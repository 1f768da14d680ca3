/** A field for an id, which offers the records that have a matching name or id. */
import type { FoundKind } from '../../queries/search.ts'
import { useKey } from '../../session/use-session.ts'
import { ComboboxField, type FieldProps } from '../combobox/combobox-field.tsx'
import { foundOption } from './found-options.tsx'
import { useFound } from './use-found.ts'

interface IdPickerProps extends FieldProps {
  kinds: readonly FoundKind[]
  organizationId?: string
  value: string
  onChange: (id: string) => void
}

export function IdPicker({ kinds, organizationId = '', value, onChange, ...field }: IdPickerProps) {
  const within = organizationId === '' ? {} : { organizationId }
  const { found, isPending, error } = useFound(useKey(), value, { kinds: [...kinds], ...within })
  return (
    <ComboboxField
      {...field}
      keepsTyped
      picked=""
      typed={value}
      onType={(typed = '') => onChange(typed)}
      options={found.map((one) => foundOption(one, organizationId === '', false))}
      isPending={isPending}
      hasFailed={error !== null}
      message={undefined}
      onPick={({ picked }) => onChange(picked.id)}
    />
  )
}
