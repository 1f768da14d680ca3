/** What there is to say of one thing: names and values, one below the other. */
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

export type Fact = readonly [name: string, value: ReactNode]

/** `label` is for those who do not see what is above. */
export function Facts({ label, facts }: { label: string; facts: readonly Fact[] }) {
  return (
    <Table layout="fixed" aria-label={label}>
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={140}>
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
