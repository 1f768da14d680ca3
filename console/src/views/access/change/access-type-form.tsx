/** The form that sets the access type of a folder or document, or lets it inherit one. */
import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { AccessType } from '#sdk/generated/operations.ts'
import { accessTypes } from '../../../access-types.ts'
import { AccessTypeLabel } from '../../../components/access/everyone.tsx'
import type { Change } from './change.ts'

const INHERIT = 'inherit'

interface AccessTypeFormProps {
  /** The current own access type; null when inherited. */
  current: AccessType | null
  before: Change | undefined
  onPreview: (change: Change) => void
  onClose: () => void
}

export function AccessTypeForm({ current, before, onPreview, onClose }: AccessTypeFormProps) {
  const [chosen, choose] = useState<string>((before?.accessType === undefined ? current : before.accessType) ?? INHERIT)
  const isUnchanged = chosen === (current ?? INHERIT)
  function submit(event: FormEvent): void {
    event.preventDefault()
    onPreview({ accessType: chosen === INHERIT ? null : (chosen as AccessType) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Radio.Group label="Access type" value={chosen} onChange={choose}>
          <Stack gap="sm" mt="xs">
            <Radio
              value={INHERIT}
              label="Inherit"
              description="Uses the access type of the folder above, or the default of the API key."
              data-autofocus
            />
            {accessTypes.map(([type, { meaning }]) => (
              <Radio key={type} value={type} label={<AccessTypeLabel type={type} />} description={meaning} />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          Once it has its own access type, grants on its ancestors no longer apply.
        </Text>
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={isUnchanged}>
            Preview
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
