/** Where the access of a user comes from: a grant, a group, a membership, or that everyone has access. */
import { Group, Text } from '@mantine/core'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import type { PermittedUser } from '../../queries/access/people.ts'
import { givingResource, isSame } from '../../resource.ts'
import type { Place } from './change/change.ts'

/** Says which role a standing grant beside the one that expires gives. */
export function remaining(grants: PermittedUser['grants']): string | undefined {
  const standing = grants?.find(({ expiresAt }) => expiresAt === undefined)
  return standing && `${standing.accessRole} again`
}

const SOURCES: Partial<Record<PermittedUser['reason'], { here: string; above: string }>> &
  Record<'grant', { here: string; above: string }> = {
  grant: { here: 'grant here', above: 'grant on' },
  access_type: { here: 'public', above: 'public by' },
  membership: { here: 'member', above: 'member of' },
}

interface SourceProps {
  user: PermittedUser
  place: Place
  name: (giving: Place['resource']) => Place['resource']
}

/** On narrow screens, in words: where the role comes from, and when it expires. */
export function SourceLine({ user: { reason, via, groupName, expiresAt, grants }, place, name }: SourceProps) {
  const giving = givingResource(via)
  const isHere = giving === undefined || isSame(giving, place.resource)
  const labels = SOURCES[reason] ?? SOURCES.grant
  const where = isHere ? undefined : name(giving)
  const on = where && (('name' in where && String(where.name ?? '')) || where.id)
  const after = remaining(grants)
  // There is one organization, and the page names it above.
  const isMember = reason === 'membership'
  return (
    <Text size="xs" c="dimmed" truncate component="div">
      {via?.group !== undefined ? (
        <>
          by group <bdi>{groupName ?? via.group}</bdi>
          {on !== undefined && (
            <>
              {' on '}
              <bdi>{on}</bdi>
            </>
          )}
        </>
      ) : (
        <>
          {via?.type === 'keyDefault' ? 'public by default' : isHere || isMember ? labels.here : labels.above}
          {on !== undefined && !isMember && (
            <>
              {' '}
              <bdi>{on}</bdi>
            </>
          )}
        </>
      )}
      {expiresAt !== undefined && (
        <>
          {', until '}
          <Timestamp at={expiresAt * 1000} date />
          {after !== undefined && `, then ${after}`}
        </>
      )}
    </Text>
  )
}

export function Source({ user: { reason, via, groupName }, place, name }: SourceProps) {
  const giving = givingResource(via)
  const isHere = giving === undefined || isSame(giving, place.resource)
  const labels = SOURCES[reason] ?? SOURCES.grant
  if (via?.group !== undefined)
    return (
      <Group gap={6} wrap="nowrap" fz="sm">
        <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
          by group
        </Text>
        <UserGroupLink organizationId={place.organizationId} groupId={via.group} name={groupName} />
        {!isHere && 'on'}
        {!isHere && <ResourceLink organizationId={place.organizationId} resource={name(giving)} />}
      </Group>
    )
  return (
    <Group gap={6} wrap="nowrap">
      <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
        {via?.type === 'keyDefault' ? 'public by the default of the API key' : isHere ? labels.here : labels.above}
      </Text>
      {!isHere && <ResourceLink organizationId={place.organizationId} resource={name(giving)} />}
    </Group>
  )
}
