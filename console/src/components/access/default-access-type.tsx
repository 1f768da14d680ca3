/** The choice of the default access type of an API key, with the meaning of each. */
import { Radio, Stack } from '@mantine/core'
import type { AccessType } from '#sdk/generated/operations.ts'
import { accessTypes } from '../../access-types.ts'
import { AccessTypeLabel } from './everyone.tsx'

interface DefaultAccessTypeProps {
  value: AccessType
  onChange: (type: AccessType) => void
}

export function DefaultAccessType({ value, onChange }: DefaultAccessTypeProps) {
  return (
    <Radio.Group
      label="Default access type"
      description="Applies to documents if neither they nor a folder above them has an access type."
      value={value}
      onChange={(type) => onChange(type as AccessType)}
    >
      <Stack gap="xs" mt="xs">
        {accessTypes.map(([type, { meaning }]) => (
          <Radio key={type} value={type} label={<AccessTypeLabel type={type} />} description={meaning} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
