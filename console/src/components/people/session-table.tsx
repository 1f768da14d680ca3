/** A table of console sessions, each with a button that ends it. */
import { Badge, Button, Group, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ListedSession } from '#sdk/session.ts'
import { endSession, sessionsQuery } from '../../queries/account/operators.ts'
import { Failure, notifyFailure } from '../feedback/failure.tsx'
import { programOf } from '../values/program.ts'
import { Timestamp } from '../values/timestamp.tsx'

/** `of`: only the sessions of this operator. */
export function SessionTable({ of }: { of?: string | undefined }) {
  const { data, error } = useQuery(sessionsQuery)
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={80} />
  const sessions = of === undefined ? data : data.filter(({ operator }) => operator?.id === of)
  return (
    <Table layout="fixed" aria-label="Sessions">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Who</Table.Th>
          <Table.Th visibleFrom="md">Program and address</Table.Th>
          <Table.Th w={130} visibleFrom="md">
            Last seen
          </Table.Th>
          <Table.Th w={80}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sessions.map((session) => (
          <Table.Tr key={session.id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Group gap="xs">
                <bdi>{nameOf(session)}</bdi>
                {session.isCurrent && (
                  <Badge variant="default" tt="none" flex="none">
                    this session
                  </Badge>
                )}
              </Group>
              {session.machine !== undefined && (
                <Text size="xs" c="dimmed">
                  Command line on <bdi>{session.machine}</bdi>
                </Text>
              )}
              <Text size="xs" c="dimmed" hiddenFrom="md">
                <Timestamp at={session.lastSeenAt} />
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="md" style={{ overflowWrap: 'anywhere' }}>
              <Text size="xs" c="dimmed">
                <bdi>{programOf(session.userAgent)}</bdi>, {session.address}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="md">
              <Timestamp at={session.lastSeenAt} />
            </Table.Td>
            <Table.Td>
              <Group justify="end">
                <EndSession session={session} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function EndSession({ session }: { session: ListedSession }) {
  const end = useMutation({ ...endSession, onError: notifyFailure })
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`End the session of ${nameOf(session)}`}
      loading={end.isPending}
      onClick={() => end.mutate(session.id)}
    >
      End
    </Button>
  )
}

const nameOf = ({ operator, token }: ListedSession): string => operator?.name ?? `token ${token}`
