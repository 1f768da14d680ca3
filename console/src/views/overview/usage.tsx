/** The usage of the API key in the last hours, days or months: as a chart, as a table, and as CSV. */
import { Button, Group, NativeSelect, SegmentedControl, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UsagePeriod } from '#sdk/generated/operations.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { USAGE_COLUMNS, USAGE_COUNTS, USAGE_LABELS, usageCells } from '#sdk/shared/usage-rows.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Section } from '../../components/page/section.tsx'
import { saveCsv } from '../../components/values/save-file.ts'
import { usageQuery } from '../../queries/keys/overview.ts'
import type { Key } from '../../session/session.ts'
import { RANGES, type RangeName, readFrom, shownPeriods, startOf, type UsageRange } from './periods.ts'
import { UsageChart } from './usage-chart.tsx'
import { type Counted, comparisonOf, sentenceOf } from './usage-sentences.ts'
import { UsageTable } from './usage-table.tsx'

/** Refusals and failures are parts of the bars of calls. */
const PLOTTED = USAGE_COUNTS.filter((what) => what !== 'refused' && what !== 'failed')
const OF_HOURS: readonly Counted[] = ['calls', 'checks', 'webhooks']
const HOUR_COLUMNS: readonly Counted[] = ['calls', 'refused', 'failed', 'checks', 'webhooks']

const COLUMN_PX = 90

export function Usage({ of: key }: { of: Key }) {
  const [rangeName, setRange] = useState<RangeName>('hours')
  const [chosen, choose] = useState<Counted>('calls')
  const [isTable, setTable] = useState(false)
  const range: UsageRange = RANGES[rangeName]
  const { earlier } = range
  const now = Date.now()
  const { data, error } = useQuery(usageQuery(key, { granularity: range.granularity, from: readFrom(range, now) }))
  const plotted = range.granularity === 'hour' ? OF_HOURS : PLOTTED
  const what = plotted.includes(chosen) ? chosen : 'calls'
  const shown = shownPeriods(range, data ?? [], now)
  const columns = range.granularity === 'hour' ? HOUR_COLUMNS : USAGE_COUNTS
  const comparison = comparisonOf(what, shown, range)
  const table = <UsageTable periods={shown} columns={columns} what={what} earlier={earlier} />
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
            onClick={() => saveCsv(`usage of ${key.id}`, [csvOf(data ?? [], startOf(range, now))])}
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
          <div>
            <Text size="sm">{sentenceOf(what, shown)}</Text>
            {comparison !== undefined && (
              <Text size="sm" c="dimmed">
                {comparison}
              </Text>
            )}
          </div>
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
          {!isTable && <UsageChart what={what} periods={shown} earlier={earlier} />}
        </>
      )}
    </Section>
  )
}

/** The range itself, without the one before. */
const csvOf = (periods: readonly UsagePeriod[], from: number): string =>
  csvRows([USAGE_COLUMNS, ...periods.filter(({ startsAt }) => startsAt >= from).map(usageCells)])
