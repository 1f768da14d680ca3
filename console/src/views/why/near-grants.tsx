/** The grants of the user that were probably meant for the resource in question, but name an id that was never added. */
import { List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Explanation } from '#sdk/generated/operations.ts'
import { Note } from '../../components/feedback/note.tsx'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { groupNamesQuery } from '../../queries/users/groups.ts'
import { useKey } from '../../session/use-session.ts'

interface NearGrantsProps {
  organizationId: string
  /** The name of the user, or else the id. */
  user: string
  grants: NonNullable<Explanation['nearGrants']>
}

export function NearGrants({ organizationId, user, grants }: NearGrantsProps) {
  const groupIds = grants.flatMap(({ groupId }) => groupId ?? [])
  const { data: names } = useQuery(groupNamesQuery(useKey(), organizationId, groupIds))
  return (
    <Note tone="caution" title="A grant may name a misspelled id">
      <List size="sm">
        {grants.map(({ type, id, organizationId: other, groupId, accessRole, near }) => (
          <List.Item key={JSON.stringify([type, id, other, groupId])}>
            {groupId === undefined ? (
              <bdi>{user}</bdi>
            ) : (
              <>
                The group <UserGroupLink organizationId={organizationId} groupId={groupId} name={names?.get(groupId)} />
              </>
            )}{' '}
            has a grant on{' '}
            <ResourceLink
              organizationId={type === 'organization' ? id : (other ?? organizationId)}
              resource={{ type, id }}
            />
            {other !== undefined && (
              <>
                {' '}
                of organization <bdi>{other}</bdi>
              </>
            )}
            , {type === 'organization' ? 'which has no name, folders or documents' : 'which was never added'}, as{' '}
            {accessRole}. If {near.type} <bdi>{near.id}</bdi>
            {other !== undefined && (
              <>
                {' '}
                of <bdi>{organizationId}</bdi>
              </>
            )}{' '}
            was meant, give access to that, and revoke this grant.
          </List.Item>
        ))}
      </List>
    </Note>
  )
}
