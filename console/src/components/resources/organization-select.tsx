/** Selects an organization by its name or id. Before anything is typed, it offers the first ones. */
import { useQuery } from '@tanstack/react-query'
import { pageQuery } from '../../queries/pages/pages.ts'
import { organizationQuery, organizationsQuery } from '../../queries/resources/organizations.ts'
import { useKey } from '../../session/use-session.ts'
import { Picker, type PickerProps } from '../search/picker.tsx'

/** The width of a field above a list, the same in all views; on a phone, the whole width. */
export const FILTER_WIDTH = { base: '100%', xs: 280 } as const

interface OrganizationSelectProps extends Omit<PickerProps, 'kinds' | 'value' | 'onChange' | 'offered'> {
  /** Empty when none is selected. */
  value: string
  onChange: (organizationId: string) => void
}

export function OrganizationSelect({ value, onChange, ...props }: OrganizationSelectProps) {
  const key = useKey()
  const { data: { rows = [] } = {} } = useQuery(pageQuery(organizationsQuery(key)))
  const listed = rows.find(({ id }) => id === value)
  const other = useQuery({ ...organizationQuery(key, value), enabled: value !== '' && listed === undefined })
  const name = (listed ?? other.data)?.organizationName
  return (
    <Picker
      floating
      {...props}
      kinds={['organization']}
      offered={rows.map(({ id, organizationName, disabled }) => ({
        kind: 'organization',
        id,
        ...(organizationName !== undefined && { name: organizationName }),
        ...(disabled && { disabled }),
      }))}
      value={value === '' ? undefined : { kind: 'organization', id: value, ...(name !== undefined && { name }) }}
      onChange={(picked) => onChange(picked?.id ?? '')}
    />
  )
}
