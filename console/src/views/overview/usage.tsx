/** What the API key was used for in the last hours, days or months: a chart, the same as a table, and as CSV. */
import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { Button, Group, NativeSelect, SegmentedControl, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { USAGE_COLUMNS, USAGE_COUNTS, USAGE_LABELS, usageCells } from '#sdk/shared/usage-rows.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Section } from '../../components/page/section.tsx'
import { saveCsv } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'
import { usageQuery } from '../../queries/keys/usage.ts'
import type { Key } from '../../session/session.ts'
import { RANGES, type RangeName, type ShownPeriod, shownPeriods, startOf } from './periods.ts'

const CALLS = [
  { name: 'succeeded', label: 'Succeeded', color: 'indigo.6' },
  { name: 'refused', label: 'Refused', color: 'yellow.6' },
  { name: 'failed', label: 'Failed', color: 'red.7' },
]

type Counted = (typeof USAGE_COUNTS)[number]
/** Refusals and failures are parts of the bars of calls. */
const PLOTTED = USAGE_COUNTS.filter((what) => what !== 'refused' && what !== 'failed')
const OF_HOURS: readonly Counted[] = ['calls', 'checks', 'webhooks']

/** Returns the end of the scale: a round number with a whole middle, large enough that one call does not fill it. */
function topOf(most: number): number {
  if (most <= 10) return Math.max(4, Math.ceil(most / 2) * 2)
  const step = 10 ** Math.floor(Math.log10(most))
  return Math.ceil(most / step) * step
}

export function Usage({ of: key }: { of: Key }) {
  const [rangeName, setRange] = useState<RangeName>('hours')
  const [chosen, choose] = useState<Counted>('calls')
  const [isTable, setTable] = useState(false)
  const range = RANGES[rangeName]
  const now = Date.now()
  const { data, error } = useQuery(usageQuery(key, { granularity: range.granularity, from: startOf(range, now) }))
  const plotted = range.granularity === 'hour' ? OF_HOURS : PLOTTED
  const what = plotted.includes(chosen) ? chosen : 'calls'
  const shown = shownPeriods(range, data ?? [], now)
  const columns = range.granularity === 'hour' ? HOUR_COLUMNS : USAGE_COUNTS
  const table = <UsageTable periods={shown} columns={columns} />
  return (
    <Section
      title="Usage"
      intro="Calls with the tokens of the key, and what they used. Hours, days and months are in UTC."
      actions={
        <>
          <Button
            variant={isTable ? 'light' : 'default'}
            size="xs"
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            Table
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={data === undefined}
            onClick={() => saveCsv(`usage of ${key.id}`, [csvOf(data ?? [])])}
          >
            Save CSV
          </Button>
        </>
      }
    >
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label="Time"
          value={rangeName}
          onChange={(value) => setRange(value as RangeName)}
          data={Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))}
        />
        <NativeSelect
          size="xs"
          aria-label="What is shown"
          value={what}
          onChange={({ currentTarget }) => choose(currentTarget.value as Counted)}
          data={plotted.map((value) => ({ value, label: USAGE_LABELS[value] }))}
        />
      </Group>
      {data === undefined && (error === null ? <Skeleton height={200} /> : <Failure error={error} />)}
      {data !== undefined && (
        <>
          <Text size="sm">{sentenceOf(what, shown)}</Text>
          {isTable ? (
            <Table.ScrollContainer
              minWidth={columns.length * COLUMN_PX}
              scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Usage by period' } }}
            >
              {table}
            </Table.ScrollContainer>
          ) : (
            <VisuallyHidden>{table}</VisuallyHidden>
          )}
          {!isTable && <Chart what={what} periods={shown} />}
        </>
      )}
    </Section>
  )
}

function Chart({ what, periods }: { what: Counted; periods: readonly ShownPeriod[] }) {
  const bars = periods.map(({ name, ...usage }) => ({
    ...{ name, refused: usage.refused, failed: usage.failed, succeeded: succeededOf(usage) },
    one: usage[what] ?? 0,
  }))
  return (
    <div aria-hidden>
      <BarChart
        h={180}
        data={bars}
        dataKey="name"
        type="stacked"
        series={what === 'calls' ? CALLS : [{ name: 'one', label: USAGE_LABELS[what], color: 'indigo.6' }]}
        withLegend={what === 'calls'}
        legendProps={{ itemSorter: null }}
        xAxisProps={{ interval: 'equidistantPreserveStart', minTickGap: 24 }}
        yAxisProps={{ allowDecimals: false, domain: [0, topOf], tickCount: 3, width: 56 }}
        valueFormatter={(value) => value.toLocaleString()}
        gridAxis="x"
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  )
}

const COLUMN_PX = 90

const HOUR_COLUMNS: readonly Counted[] = ['calls', 'refused', 'failed', 'checks', 'webhooks']

function UsageTable({ periods, columns }: { periods: readonly ShownPeriod[]; columns: readonly Counted[] }) {
  return (
    <Table>
      <Table.Caption>Usage by period of UTC</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Period</Table.Th>
          {columns.map((what) => (
            <Table.Th key={what} scope="col" ta="right">
              {USAGE_LABELS[what]}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {periods.map((usage) => (
          <Table.Tr key={usage.startsAt}>
            <Table.Th scope="row">{usage.name}</Table.Th>
            {columns.map((what) => (
              <Table.Td key={what} ta="right">
                {usage[what]?.toLocaleString() ?? '–'}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const succeededOf = ({ calls, refused, failed }: Pick<ShownPeriod, 'calls' | 'refused' | 'failed'>): number =>
  calls - refused - failed

const csvOf = (periods: Parameters<typeof usageCells>[0][]): string =>
  csvRows([USAGE_COLUMNS, ...periods.map(usageCells)])

/** What a period has at its end, and is not the sum of its parts. */
const CONTENTS: readonly Counted[] = ['organizations', 'documents', 'users', 'threads']

function sentenceOf(what: Counted, periods: readonly ShownPeriod[]): string {
  const sum = (of: (usage: ShownPeriod) => number) => periods.reduce((all, usage) => all + of(usage), 0)
  if (what === 'calls') {
    const [refused, failed] = [sum((usage) => usage.refused), sum((usage) => usage.failed)]
    return `${plural(sum(succeededOf), 'call')} succeeded, ${refused.toLocaleString()} refused, ${failed.toLocaleString()} failed.`
  }
  const label = USAGE_LABELS[what].toLowerCase()
  if (CONTENTS.includes(what) || what === 'activeUsers') {
    const last = periods.at(-1)?.[what] ?? 0
    return `${last.toLocaleString()} ${label} in the current period.`
  }
  return `${sum((usage) => usage[what] ?? 0).toLocaleString()} ${label}.`
}
