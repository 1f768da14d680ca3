/** The fields of a window that collects comments into one mail. */
import { Fieldset, NumberInput, SimpleGrid, Stack, Switch } from '@mantine/core'
import type { NotificationConfig } from '#sdk/generated/operations.ts'

type Batch = NotificationConfig['notificationServiceConfig']['batchConfig']['document']

interface BatchFieldsProps {
  label: string
  help: string
  batch: Batch
  onChange: (batch: Batch) => void
}

const SECONDS = { min: 10, max: 604_800 }
const COMMENTS = { min: 2, max: 50 }

export function BatchFields({ label, help, batch, onChange }: BatchFieldsProps) {
  const number = (value: string | number, least: number) => (typeof value === 'number' ? value : least)
  return (
    <Fieldset aria-label={label}>
      <Stack gap="sm">
        <Switch
          label={label}
          description={help}
          checked={batch.isEnabled}
          onChange={({ currentTarget }) => onChange({ ...batch, isEnabled: currentTarget.checked })}
        />
        {batch.isEnabled && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NumberInput
              label="Seconds from the first comment"
              description="10 to 604,800 (7 days)."
              {...SECONDS}
              clampBehavior="blur"
              allowDecimal={false}
              value={batch.batchWindowSeconds}
              onChange={(value) => onChange({ ...batch, batchWindowSeconds: number(value, SECONDS.min) })}
            />
            <NumberInput
              label="Comments that fill it"
              description="2 to 50; a full mail is sent at once."
              {...COMMENTS}
              clampBehavior="blur"
              allowDecimal={false}
              value={batch.maxActivities}
              onChange={(value) => onChange({ ...batch, maxActivities: number(value, COMMENTS.min) })}
            />
          </SimpleGrid>
        )}
      </Stack>
    </Fieldset>
  )
}
