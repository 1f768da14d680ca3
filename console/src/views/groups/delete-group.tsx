/** Confirms the deletion of a group, and says who loses access by it. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { UserGroupRecord } from '#sdk/generated/operations.ts'
import { Note } from '../../components/feedback/note.tsx'
import { ConfirmByName } from '../../components/forms/confirm-by-name.tsx'
import { plural } from '../../plural.ts'
import { revocationEffectQuery } from '../../queries/access/simulation.ts'
import { useScannedGrants } from '../../queries/access/use-scanned-grants.ts'
import { deletionOf } from '../../queries/pages/deletion.ts'
import { deleteUserGroups } from '../../queries/users/groups.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { summary } from '../access/change/summary.ts'

interface DeleteGroupProps {
  organizationId: string
  group: UserGroupRecord
  onClose: () => void
}

export function DeleteGroup({ organizationId, group, onClose }: DeleteGroupProps) {
  const remove = useMutation({
    ...deleteUserGroups(useKey()),
    onSuccess: (deletion) => {
      onClose()
      notifications.show({ message: deletionOf('The group', deletion), role: 'status' })
    },
  })
  return (
    <ConfirmByName
      needs="user-groups.delete"
      title="Delete group"
      name={shownName(group.groupName, group.groupId)}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ organizationId, organizationUserGroupIds: [group.groupId] })}
      onClose={onClose}
    >
      <DeletionEffect organizationId={organizationId} groupId={group.groupId} />
      Its users remain members of the organization and keep the grants of their own. This cannot be undone.
    </ConfirmByName>
  )
}

function DeletionEffect({ organizationId, groupId }: { organizationId: string; groupId: string }) {
  const scan = useScannedGrants(organizationId)
  const grants = scan.grants.filter((grant) => grant.groupId === groupId)
  const resources = [...new Map(grants.map(({ type, id }) => [`${type} ${id}`, { type, id }])).values()]
  const { data: effect } = useQuery({
    ...revocationEffectQuery(useKey(), organizationId, groupId, resources),
    enabled: !scan.isScanning && !scan.hasMore && resources.length > 0,
  })
  if (scan.isScanning || scan.error !== null)
    return (
      <Text size="sm" role="status">
        All grants of the group will be revoked. {scan.error === null && 'Counting them…'}
      </Text>
    )
  if (grants.length === 0 && !scan.hasMore)
    return (
      <Text size="sm" role="status">
        The group has no grants.
      </Text>
    )
  return (
    <div role="status">
      <Note
        tone="danger"
        title={`${scan.hasMore ? 'At least ' : ''}${plural(grants.length, 'grant')} of the group will be revoked.${effect === undefined ? '' : ` ${summary(effect)}`}`}
      />
    </div>
  )
}
