/** Shows each field of a change with its value before and after. */
import { Table, Text } from '@mantine/core'
import classes from './diff.module.css'

type Values = Readonly<Record<string, unknown>>

interface DiffProps {
  /** Undefined when it did not exist. */
  before: Values | undefined
  /** Undefined when it no longer exists. */
  after: Values | undefined
}

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

export function Diff({ before = {}, after = {} }: DiffProps) {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  if (fields.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No values were recorded.
      </Text>
    )
  return (
    <Table aria-label="Before and after" layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="28%">Field</Table.Th>
          <Table.Th>Before</Table.Th>
          <Table.Th>After</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map((field) => {
          const changed = formatValue(before[field]) !== formatValue(after[field])
          return (
            <Table.Tr key={field}>
              <Table.Th scope="row" fw={changed ? 600 : 400}>
                <bdi>{field}</bdi>
              </Table.Th>
              <Table.Td>
                <Value value={before[field]} className={changed ? classes.removed : undefined} />
              </Table.Td>
              <Table.Td>
                <Value value={after[field]} className={changed ? classes.added : undefined} />
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}

function Value({ value, className }: { value: unknown; className: string | undefined }) {
  if (value === undefined)
    return (
      <Text span size="sm" c="dimmed">
        absent
      </Text>
    )
  return (
    <bdi>
      <code className={[classes.value, className].join(' ')}>{formatValue(value)}</code>
    </bdi>
  )
}
