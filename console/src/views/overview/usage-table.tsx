/** The data of the chart of usage as a table. */
import { Table } from '@mantine/core'
import { USAGE_LABELS } from '#sdk/shared/usage-rows.ts'
import type { ShownPeriod } from './periods.ts'
import type { Counted } from './usage-sentences.ts'

interface UsageTableProps {
  periods: readonly ShownPeriod[]
  columns: readonly Counted[]
  /** The figure that is compared with the previous range. */
  what: Counted
  /** When the range before was; undefined where there is none. */
  earlier: string | undefined
}

const formatted = (count: number | undefined): string => count?.toLocaleString('en') ?? '–'

export function UsageTable({ periods, columns, what, earlier }: UsageTableProps) {
  return (
    <Table>
      <Table.Caption>Usage by period of UTC</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Period</Table.Th>
          {columns.map((column) => (
            <Table.Th key={column} scope="col" ta="right">
              {USAGE_LABELS[column]}
            </Table.Th>
          ))}
          {earlier !== undefined && (
            <Table.Th scope="col" ta="right">
              {USAGE_LABELS[what]} {earlier}
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {periods.map((usage) => (
          <Table.Tr key={usage.startsAt}>
            <Table.Th scope="row">{usage.name}</Table.Th>
            {columns.map((column) => (
              <Table.Td key={column} ta="right">
                {formatted(usage[column])}
              </Table.Td>
            ))}
            {earlier !== undefined && <Table.Td ta="right">{formatted(usage.before?.[what])}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
