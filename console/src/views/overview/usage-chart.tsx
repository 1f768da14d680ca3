/** The chart of usage: a bar for each period, and a faint line for the same periods of the range before. */
import '@mantine/charts/styles.layer.css'
import { CompositeChart, type CompositeChartSeries } from '@mantine/charts'
import { USAGE_LABELS } from '#sdk/shared/usage-rows.ts'
import type { ShownPeriod } from './periods.ts'
import { type Counted, succeededOf } from './usage-sentences.ts'

const CALLS: CompositeChartSeries[] = [
  { name: 'succeeded', label: 'Succeeded', color: 'indigo.6', type: 'bar' },
  { name: 'refused', label: 'Refused', color: 'yellow.6', type: 'bar' },
  { name: 'failed', label: 'Failed', color: 'red.7', type: 'bar' },
]

/** Returns the end of the scale: a round number with a whole middle, large enough that one call does not fill it. */
function topOf(most: number): number {
  if (most <= 10) return Math.max(4, Math.ceil(most / 2) * 2)
  const step = 10 ** Math.floor(Math.log10(most))
  return Math.ceil(most / step) * step
}

interface UsageChartProps {
  what: Counted
  periods: readonly ShownPeriod[]
  /** When the range before was; undefined where there is none. */
  earlier: string | undefined
}

export function UsageChart({ what, periods, earlier }: UsageChartProps) {
  const bars = periods.map((usage) => ({
    ...{ name: usage.name, refused: usage.refused, failed: usage.failed, succeeded: succeededOf(usage) },
    one: usage[what] ?? 0,
    before: usage.before?.[what],
  }))
  const line: CompositeChartSeries[] =
    earlier !== undefined && bars.some(({ before = 0 }) => before > 0)
      ? [{ name: 'before', label: earlier, color: 'gray.5', type: 'line', strokeDasharray: '4 3' }]
      : []
  const series: CompositeChartSeries[] =
    what === 'calls' ? CALLS : [{ name: 'one', label: USAGE_LABELS[what], color: 'indigo.6', type: 'bar' }]
  return (
    <div aria-hidden>
      <CompositeChart
        h={180}
        data={bars}
        dataKey="name"
        series={[...series, ...line]}
        barProps={{ stackId: 'usage' }}
        withDots={false}
        strokeWidth={1.5}
        curveType="linear"
        withLegend={what === 'calls' || line.length > 0}
        legendProps={{ itemSorter: null }}
        xAxisProps={{ interval: 'equidistantPreserveStart', minTickGap: 24 }}
        yAxisProps={{ allowDecimals: false, domain: [0, topOf], tickCount: 3, width: 56 }}
        valueFormatter={(value) => value.toLocaleString('en')}
        gridAxis="x"
        composedChartProps={{ accessibilityLayer: false }}
      />
    </div>
  )
}
