/** A field that selects user groups of an organization; the server searches them by name and id. */
import { useQuery } from '@tanstack/react-query'
import { pageQuery } from '../../queries/pages/pages.ts'
import { userGroupsQuery } from '../../queries/users/groups.ts'
import type { Picked } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { RecordsPicker } from '../search/records-picker.tsx'

const OFFERED_MAX = 50

interface UserGroupsFieldProps {
  organizationId: string
  value: string[]
  onChange: (groupIds: string[]) => void
}

/** Not shown where the organization has no user groups. */
export function UserGroupsField({ organizationId, value, onChange }: UserGroupsFieldProps) {
  const key = useKey()
  const { data: { rows = [] } = {} } = useQuery(pageQuery(userGroupsQuery(key, organizationId)))
  if (rows.length === 0 && value.length === 0) return null
  const names = new Map(rows.map(({ groupId, groupName }) => [groupId, groupName]))
  const offered = rows.slice(0, OFFERED_MAX).map(
    ({ groupId, groupName }): Picked => ({
      kind: 'userGroup',
      id: groupId,
      ...(groupName !== undefined && { name: groupName }),
    }),
  )
  return (
    <RecordsPicker
      label="User groups"
      description="A grant of a group applies to its users who are members of the organization."
      placeholder="Select groups"
      kind="userGroup"
      value={value}
      onChange={onChange}
      organizationId={organizationId}
      offered={offered}
      nameOf={(id) => names.get(id)}
    />
  )
}
