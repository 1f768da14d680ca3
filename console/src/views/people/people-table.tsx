/** The table of people, in which their roles are changed. */
import { Badge, Group, NativeSelect, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconUserMinus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Operator, OperatorRole } from '#sdk/generated/operations.ts'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { PermittedButton, PermittedIconButton } from '../../components/permitted/permitted-button.tsx'
import { Breakable } from '../../components/values/breakable.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { updateOperator } from '../../queries/account/operators.ts'
import { attributesOf } from '../../session/permission.ts'
import { useSession } from '../../session/use-session.ts'
import { OwnRole } from './own-role.tsx'
import { labelOf, useGivenRoles } from './roles.ts'

interface PeopleTableProps {
  people: readonly Operator[]
  onRemove: (person: Operator) => void
}

export function PeopleTable({ people, onRemove }: PeopleTableProps) {
  const { operator } = useSession()
  const roles = useGivenRoles()
  const update = useMutation({ ...updateOperator, onError: notifyFailure })
  const [own, changeOwn] = useState<{ person: Operator; role: OperatorRole }>()
  const table = (
    <Table layout="fixed" aria-label="People">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th w={150}>Role</Table.Th>
          <Table.Th w={130} visibleFrom="md">
            Last seen
          </Table.Th>
          <Table.Th w={{ base: 52, sm: 110 }}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {people.map((person) => (
          <Table.Tr key={person.id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Group gap="xs">
                <bdi>
                  <Breakable>{person.name}</Breakable>
                </bdi>
                {person.id === operator?.id && (
                  <Badge variant="default" tt="none" flex="none">
                    you
                  </Badge>
                )}
              </Group>
              {person.name !== person.email && (
                <Text size="xs" c="dimmed">
                  <bdi>
                    <Breakable>{person.email}</Breakable>
                  </bdi>
                </Text>
              )}
            </Table.Td>
            <Table.Td>
              {roles.some(({ value }) => value === person.role) ? (
                <NativeSelect
                  {...attributesOf('operators.update')}
                  aria-label={`Role of ${person.name}`}
                  data={[...roles]}
                  value={person.role}
                  disabled={update.isPending}
                  onChange={({ currentTarget }) => {
                    const role = currentTarget.value as OperatorRole
                    if (person.id === operator?.id) changeOwn({ person, role })
                    else update.mutate({ operatorId: person.id, role })
                  }}
                />
              ) : (
                labelOf(person.role)
              )}
            </Table.Td>
            <Table.Td visibleFrom="md">
              {person.lastSeenAt === undefined ? 'never' : <Timestamp at={person.lastSeenAt} />}
            </Table.Td>
            <Table.Td>
              <Group justify="end">
                <PermittedButton
                  needs="operators.remove"
                  least={person.role === 'owner' ? 'owner' : undefined}
                  size="xs"
                  variant="default"
                  visibleFrom="sm"
                  aria-label={`Remove ${person.name}`}
                  onClick={() => onRemove(person)}
                >
                  Remove
                </PermittedButton>
                <PermittedIconButton
                  needs="operators.remove"
                  least={person.role === 'owner' ? 'owner' : undefined}
                  size="lg"
                  variant="default"
                  hiddenFrom="sm"
                  aria-label={`Remove ${person.name}`}
                  onClick={() => onRemove(person)}
                >
                  <IconUserMinus size={16} aria-hidden />
                </PermittedIconButton>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
  return (
    <>
      {table}
      {own !== undefined && <OwnRole {...own} onClose={() => changeOwn(undefined)} />}
    </>
  )
}
