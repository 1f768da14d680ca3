/** Revokes the grants of the selected people, and says how many of them have no grant here. */
import { Group, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { plural } from '../../plural.ts'
import type { PermittedUser } from '../../queries/access/people.ts'
import type { Grant } from './change/change.ts'

interface SelectedPeopleProps {
  selected: readonly PermittedUser[]
  onRevoke: (grants: Readonly<Record<string, readonly Grant[]>>) => void
}

export function SelectedPeople({ selected, onRevoke }: SelectedPeopleProps) {
  const grants = Object.fromEntries(
    selected.flatMap((user) => (user.grants === undefined ? [] : [[user.userId, user.grants]])),
  )
  const count = Object.keys(grants).length
  return (
    <>
      {count > 0 && (
        <Group>
          <PermittedButton
            needs="permissions.remove"
            color="red"
            variant="outline"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => onRevoke(grants)}
          >
            Revoke {count === 1 ? 'grant' : `${count} grants`}
          </PermittedButton>
        </Group>
      )}
      {selected.length > count && (
        <Text size="sm" c="dimmed" role="status">
          {plural(selected.length - count, 'selected user')} without a grant here: the access comes from above, from the
          access type, or from a group.
        </Text>
      )}
    </>
  )
}
