/** Where the access of a user comes from: a grant, a group, a membership, or that everyone has access. */
import { Group, Text } from '@mantine/core'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import type { PermittedUser } from '../../queries/access/people.ts'
import { givingResource, isSame } from '../../resource.ts'
import { shownName } from '../../shown-name.ts'
import type { Place } from './change/change.ts'

/** Says which role a standing grant beside the one that expires gives. */
export function remaining(grants: PermittedUser['grants']): string | undefined {
  const standing = grants?.find(({ expiresAt }) => expiresAt === undefined)
  return standing && `${standing.accessRole} again`
}

const SOURCES: Partial<Record<PermittedUser['reason'], { here: string; above: string }>> &
  Record<'grant', { here: string; above: string }> = {
  grant: { here: 'grant here', above: 'grant on' },
  access_type: { here: 'public, role from above', above: 'public by' },
  membership: { here: 'member', above: 'member of' },
}

interface SourceProps {
  user: PermittedUser
  place: Place
  name: (giving: Place['resource']) => Place['resource']
}

/** In windows without a column for it: when the role expires, and the role that remains then. */
export function EndLine({ user: { expiresAt, grants } }: { user: PermittedUser }) {
  if (expiresAt === undefined) return null
  return (
    <ClampedText size="xs" c="dimmed" lh={1.2}>
      expires <Timestamp at={expiresAt * 1000} ahead />
      {remaining(grants) !== undefined && `, then ${remaining(grants)}`}
    </ClampedText>
  )
}

/** On narrow screens, in words: when the role expires, and where it comes from. There is room for two lines, so the expiry is first. */
export function SourceLine({ user, place, name }: SourceProps) {
  const { expiresAt, grants, via } = user
  const giving = givingResource(via)
  const where = giving === undefined || isSame(giving, place.resource) ? undefined : name(giving)
  const after = remaining(grants)
  return (
    <ClampedText size="xs" c="dimmed" lh={1.15} lines={2}>
      {expiresAt === undefined ? (
        <SourceWords user={user} where={where} />
      ) : (
        <>
          expires <Timestamp at={expiresAt * 1000} ahead />
          {after !== undefined && `, then ${after}`}
          {(where !== undefined || via?.group !== undefined) && (
            <>
              {', '}
              <SourceWords user={user} where={where} />
            </>
          )}
        </>
      )}
    </ClampedText>
  )
}

function SourceWords({ user: { reason, via, groupName }, where }: { user: PermittedUser; where?: Place['resource'] }) {
  const on = where && shownName('name' in where ? String(where.name ?? '') : undefined, where.id)
  // There is one organization, and the page names it above.
  if (reason === 'membership') return 'member'
  if (via?.type === 'keyDefault') return 'public by default'
  return (
    <>
      {via?.group !== undefined ? (
        <>
          by group <bdi>{shownName(groupName, via.group)}</bdi>
        </>
      ) : reason === 'access_type' ? (
        on === undefined ? (
          'public, role from above'
        ) : (
          'public'
        )
      ) : (
        on === undefined && 'grant here'
      )}
      {on !== undefined && (
        <>
          {reason === 'access_type' ? ' by ' : ' on '}
          <bdi>{on}</bdi>
        </>
      )}
    </>
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
