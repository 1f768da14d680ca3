/** The calls of the last hour, minute by minute: as a picture, and as a sentence for who does not see it. */
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Paper, Stack, Text, Title } from '@mantine/core'
import type { Overview } from '#sdk/session.ts'

const MINUTE_MS = 60_000
const MINUTES = 60

const SERIES = [
  { name: 'answered', label: 'Answered', color: 'indigo.6' },
  { name: 'refused', label: 'Refused', color: 'yellow.6' },
  { name: 'failed', label: 'Failed', color: 'red.7' },
]

export function Traffic({ traffic }: Pick<Overview, 'traffic'>) {
  const sum = (what: 'answered' | 'refused' | 'failed') =>
    traffic.reduce((all, minute) => all + minute[what], 0).toLocaleString()
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        The last hour
      </Title>
      <Paper withBorder p="md">
        <Text size="sm" mb="sm">
          {sum('answered')} calls answered, {sum('refused')} refused, {sum('failed')} failed, by the server that shows
          this page.
        </Text>
        <div aria-hidden>
          <BarChart
            h={160}
            data={minutesOf(traffic)}
            dataKey="at"
            type="stacked"
            series={SERIES}
            withLegend
            gridAxis="x"
            barChartProps={{ accessibilityLayer: false }}
          />
        </div>
      </Paper>
    </Stack>
  )
}

/** Each minute of the hour, also those without a call. */
function minutesOf(traffic: Overview['traffic']) {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  const known = new Map(traffic.map((minute) => [minute.at, minute]))
  return Array.from({ length: MINUTES }, (_, index) => {
    const at = now - (MINUTES - 1 - index) * MINUTE_MS
    const { answered = 0, refused = 0, failed = 0 } = known.get(at) ?? {}
    const time = new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    return { at: time, answered, refused, failed }
  })
}
