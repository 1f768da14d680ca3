/** A table of the differences between two API keys, to select from. On phones the values are below the setting. */
import { Checkbox, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { fieldValueText } from '#sdk/event-sentences/changes.ts'
import { capitalized, fieldInWords, pathInWords } from '#sdk/event-sentences/field-names.ts'
import type { Difference, Part } from '#sdk/shared/promotion.ts'
import { Breakable } from '../../components/values/breakable.tsx'

const PARTS: Record<Part, string> = {
  settings: 'Access',
  domains: 'Domain',
  email: 'E-mail',
  webhooks: 'Webhooks',
  endpoints: 'Endpoint',
  provider: 'Permission provider',
  notifications: 'Notifications',
  activities: 'Activities',
}

/** Returns the setting in words; domains, and endpoints as a whole, are named as they are. */
export function settingIn({ part, kind, what }: Difference): string {
  if (part === 'domains' || (part === 'endpoints' && kind !== 'change')) return what
  if (part !== 'endpoints') return capitalized(pathInWords(what))
  const at = what.lastIndexOf(' ')
  return `${what.slice(0, at)}: ${fieldInWords(what.slice(at + 1))}`
}

export const idOf = ({ part, kind, what }: Difference): string => `${part} ${kind} ${what}`

interface DifferenceTableProps {
  differences: readonly Difference[]
  /** The names of the source key and the target key. */
  names: readonly [string, string]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

export function DifferenceTable({ differences, names, chosen, onChoose }: DifferenceTableProps) {
  const ids = differences.map(idOf)
  const all = ids.every((id) => chosen.has(id))
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false })
  const toggle = (id: string) => onChoose(new Set(ids.filter((one) => (one === id) !== chosen.has(one))))
  return (
    <Table layout="fixed" aria-label="Differences" style={{ overflowWrap: 'anywhere' }}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={44}>
            <Checkbox
              aria-label="Select all differences"
              checked={all}
              indeterminate={!all && chosen.size > 0}
              onChange={() => onChoose(new Set(all ? [] : ids))}
            />
          </Table.Th>
          <Table.Th w={isPhone ? undefined : '34%'}>Setting</Table.Th>
          {!isPhone && (
            <>
              <Table.Th>
                Value in <bdi>{names[0]}</bdi>
              </Table.Th>
              <Table.Th>
                Value in <bdi>{names[1]}</bdi>
              </Table.Th>
            </>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {differences.map((difference) => {
          const { part } = difference
          const setting = settingIn(difference)
          const { here, there } = valuesOf(difference)
          const id = idOf(difference)
          return (
            <Table.Tr key={id}>
              <Table.Td>
                <Checkbox aria-label={`Promote ${setting}`} checked={chosen.has(id)} onChange={() => toggle(id)} />
              </Table.Td>
              <Table.Td>
                <Text size="xs" c="dimmed">
                  {PARTS[part]}
                </Text>
                <Text size="sm">
                  <bdi>
                    <Breakable>{setting}</Breakable>
                  </bdi>
                </Text>
                {isPhone && (
                  <Stack gap={2} mt={4}>
                    <LabelledValue name={names[0]}>{here}</LabelledValue>
                    <LabelledValue name={names[1]}>{there}</LabelledValue>
                  </Stack>
                )}
              </Table.Td>
              {!isPhone && (
                <>
                  <Table.Td>{here}</Table.Td>
                  <Table.Td>{there}</Table.Td>
                </>
              )}
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}

/** Returns the values in the source key and in the target key. */
function valuesOf({ kind, what, before, after }: Difference): { here: ReactNode; there: ReactNode } {
  return {
    here: kind === 'remove' ? <ValueText absent /> : <ValueText of={what} value={after ?? what} />,
    there:
      kind === 'add' ? (
        <ValueText absent />
      ) : (
        <ValueText of={what} value={before ?? (kind === 'remove' ? what : undefined)} />
      ),
  }
}

function LabelledValue({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" component="div">
      <bdi>{name}</bdi>: {children}
    </Text>
  )
}

function ValueText({ of = '', value, absent = false }: { of?: string; value?: unknown; absent?: boolean }) {
  if (absent || value === undefined || value === null || value === '')
    return (
      <Text span size="sm" c="dimmed">
        {absent ? 'absent' : 'empty'}
      </Text>
    )
  return (
    <Text span size="sm" c="var(--mantine-color-text)">
      <bdi>
        <Breakable>{fieldValueText(of, value)}</Breakable>
      </bdi>
    </Text>
  )
}
