/** Shows a stored profile, including the fields of the application. */
import { Table, Text } from '@mantine/core'
import { Breakable } from '../../components/values/breakable.tsx'
import { formatValue } from '../../components/values/diff.tsx'

interface ProfileProps {
  profile: Readonly<Record<string, unknown>> | undefined
  /** Whether the profile is loaded. */
  known: boolean
}

export function Profile({ profile, known }: ProfileProps) {
  const fields = Object.entries(profile ?? {}).filter(([field]) => field !== 'userId')
  if (fields.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {known ? 'No profile stored. Users can have grants without one.' : 'Loading…'}
      </Text>
    )
  return (
    <Table variant="vertical" layout="fixed" aria-label="Profile">
      <Table.Tbody>
        {fields.map(([field, value]) => (
          <Table.Tr key={field}>
            <Table.Th w="40%" scope="row">
              <bdi>{field}</bdi>
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
              <bdi>
                <Breakable>{typeof value === 'string' ? value : formatValue('profile', value)}</Breakable>
              </bdi>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
