/** The calls of the last hour by minute: a chart, and a sentence for those who cannot see it. */
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Paper, Stack, Text, Title } from '@mantine/core'
import type { Overview } from '#sdk/session.ts'
import { plural } from '../../plural.ts'

const MINUTE_MS = 60_000
const MINUTES = 60

const SERIES = [
  { name: 'answered', label: 'Succeeded', color: 'indigo.6' },
  { name: 'refused', label: 'Refused', color: 'yellow.6' },
  { name: 'failed', label: 'Failed', color: 'red.7' },
]

/** Returns the end of the scale: a round number with a whole middle, large enough that one call does not fill it. */
function topOf(most: number): number {
  if (most <= 10) return Math.max(4, Math.ceil(most / 2) * 2)
  const step = 10 ** Math.floor(Math.log10(most))
  return Math.ceil(most / step) * step
}

export function Traffic({ traffic }: Pick<Overview, 'traffic'>) {
  const minutes = minutesOf(traffic)
  const sum = (what: 'answered' | 'refused' | 'failed') => traffic.reduce((all, minute) => all + minute[what], 0)
  const answered = sum('answered')
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Last hour
      </Title>
      <Paper withBorder p="md">
        <Text size="sm" mb="sm">
          {plural(answered, 'call')} succeeded, {sum('refused').toLocaleString()} refused,{' '}
          {sum('failed').toLocaleString()} failed on the server that sends this page.
        </Text>
        <div aria-hidden>
          <BarChart
            h={160}
            data={minutes}
            dataKey="at"
            type="stacked"
            series={SERIES}
            withLegend
            legendProps={{ itemSorter: null }}
            xAxisProps={{ ticks: minutes.flatMap(({ at, isTen }) => (isTen ? [at] : [])), interval: 0 }}
            yAxisProps={{
              allowDecimals: false,
              domain: [0, topOf],
              tickCount: 3,
              width: 44,
            }}
            gridAxis="x"
            barChartProps={{ accessibilityLayer: false }}
          />
        </div>
      </Paper>
    </Stack>
  )
}

/** Returns every minute of the hour, including those without calls. */
function minutesOf(traffic: Overview['traffic']) {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  const known = new Map(traffic.map((minute) => [minute.at, minute]))
  return Array.from({ length: MINUTES }, (_, index) => {
    const at = now - (MINUTES - 1 - index) * MINUTE_MS
    const { answered = 0, refused = 0, failed = 0 } = known.get(at) ?? {}
    const time = new Date(at)
    return {
      ...{ at: time.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' }), answered, refused, failed },
      isTen: time.getMinutes() % 10 === 0,
    }
  })
}
