/** Shows each field of a change with its value before and after. */
import { Table, Text } from '@mantine/core'
import { duration, wordOf } from '#sdk/event-sentences/changes.ts'
import { fieldInWords, isSpan } from '#sdk/event-sentences/field-names.ts'
import classes from './diff.module.css'

type Values = Readonly<Record<string, unknown>>

interface DiffProps {
  /** Undefined when it did not exist. */
  before: Values | undefined
  /** Undefined when it no longer exists. */
  after: Values | undefined
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Returns a value in lines: the items of a list, and the fields of an object with their values. */
function linesOf(field: string, value: unknown): string[] {
  if (isNothing(value)) return ['none']
  if (Array.isArray(value)) return value.length === 0 ? ['none'] : value.map((one) => linesOf('', one).join(', '))
  if (typeof value !== 'object') return [isSpan(field) ? duration(value) : wordOf(value)]
  return Object.entries(value as Values).map(([name, one]) => `${fieldInWords(name)}: ${linesOf(name, one).join(', ')}`)
}

/** Names of applications, such as those of metadata, stay as they are. */
const NAMED_BY_APPS = ['metadata', 'profile']

/** Returns a value in lines, without JSON. */
export function formatValue(field: string, value: unknown): string {
  if (!NAMED_BY_APPS.includes(field) || typeof value !== 'object' || value === null)
    return linesOf(field, value).join('\n')
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${linesOf('', one).join(', ')}`)
    .join('\n')
}

export function Diff({ before = {}, after = {} }: DiffProps) {
  const all = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const fields = all.filter((field) => !isNothing(before[field]) || !isNothing(after[field]))
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
          const changed = formatValue(field, before[field]) !== formatValue(field, after[field])
          return (
            <Table.Tr key={field}>
              <Table.Th scope="row" fw={changed ? 600 : 400}>
                <bdi>{fieldInWords(field)}</bdi>
              </Table.Th>
              <Table.Td>
                <Value field={field} value={before[field]} className={changed ? classes.removed : undefined} />
              </Table.Td>
              <Table.Td>
                <Value field={field} value={after[field]} className={changed ? classes.added : undefined} />
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}

interface ValueProps {
  field: string
  value: unknown
  className: string | undefined
}

function Value({ field, value, className }: ValueProps) {
  if (isNothing(value))
    return (
      <Text span size="sm" c="dimmed">
        none
      </Text>
    )
  return (
    <bdi>
      <code className={[classes.value, className].join(' ')}>{formatValue(field, value)}</code>
    </bdi>
  )
}
