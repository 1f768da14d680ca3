/** The grants and groups of a user in all organizations, and the public resources. */
import { Group, Stack, Text } from '@mantine/core'
import { IconUsersGroup } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type HeldAccess, holdsNothing, type RevocationPreview } from '#sdk/shared/revocation-preview.ts'
import { EveryoneNote } from '../../components/access/everyone.tsx'
import { RoleBadge } from '../../components/access/role-badge.tsx'
import { Note } from '../../components/feedback/note.tsx'
import { ResourceIcon } from '../../components/resources/resource-icon.tsx'
import { Id } from '../../components/values/id.tsx'
import { plural } from '../../plural.ts'
import { namesInsideQuery, type PlaceInside, placeKeyInside } from '../../queries/resources/resource-names.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import classes from './leaver-preview.module.css'

interface HeldListProps {
  held: HeldAccess
  /** It is about to be removed, and marked as such. */
  isRemoved?: boolean
}

/** Counts the grants and groups that a revocation would remove, and names the first ones. */
export function HeldList({ held, isRemoved = false }: HeldListProps) {
  const nameOf = useNames(
    held.firstGrants.map(({ organizationId, type, id }) => ({ organizationId, type, id })),
    held.firstUserGroups.map(({ organizationId }) => organizationId),
  )
  if (holdsNothing(held))
    return (
      <Text size="sm" role="status">
        Nothing would be removed: the user has no grants or groups in any organization.
      </Text>
    )
  const { organizations, grants, temporaryGrants, userGroups, hasMore, firstGrants, firstUserGroups } = held
  const temporary = temporaryGrants === 0 ? '' : ` (${temporaryGrants.toLocaleString('en')} temporary)`
  const unnamed = grants + userGroups - firstGrants.length - firstUserGroups.length
  const counted = `${hasMore ? 'At least ' : ''}${plural(grants, 'grant')}${temporary} and ${plural(userGroups, 'group membership')} in ${plural(organizations, 'organization')}.`
  return (
    <Stack gap="xs">
      <Text size="sm" role="status" component="div" fw={600}>
        {isRemoved ? <Note tone="danger" title={counted} /> : counted}
      </Text>
      <Stack component="ul" gap={0} aria-label="Grants and groups of the user" className={classes.list}>
        {firstGrants.map(({ organizationId, type, id, accessRole, expiresAt }) => (
          <Held
            key={JSON.stringify([organizationId, type, id, expiresAt])}
            icon={<ResourceIcon type={type} />}
            kind={type}
            id={id}
            name={nameOf({ organizationId, type, id })}
            organization={type === 'organization' ? undefined : [organizationId, nameOf(organization(organizationId))]}
          >
            <RoleBadge role={accessRole} expiresAt={expiresAt === undefined ? undefined : expiresAt * 1_000} />
          </Held>
        ))}
        {firstUserGroups.map(({ organizationId, groupId, groupName }) => (
          <Held
            key={JSON.stringify([organizationId, groupId])}
            icon={<IconUsersGroup size={16} aria-hidden />}
            kind="group"
            id={groupId}
            name={groupName}
            organization={[organizationId, nameOf(organization(organizationId))]}
          />
        ))}
      </Stack>
      {unnamed > 0 && (
        <Text size="sm" c="dimmed">
          And {unnamed.toLocaleString('en')} more.
        </Text>
      )}
    </Stack>
  )
}

type NameOf = (place: PlaceInside) => string | undefined

/** Returns a function that looks up names, including the names of organizations that are listed only by id. */
function useNames(places: readonly PlaceInside[], organizationIds: readonly string[]): NameOf {
  const owners = [...new Set([...places.map(({ organizationId }) => organizationId), ...organizationIds])]
  const { data: names } = useQuery(namesInsideQuery(useKey(), [...places, ...owners.map(organization)]))
  return (place) => names?.get(placeKeyInside(place))
}

const organization = (id: string): PlaceInside => ({ organizationId: id, type: 'organization', id })

interface HeldProps {
  icon: ReactNode
  kind: string
  id: string
  name: string | undefined
  /** Where it is: id and name. */
  organization: readonly [id: string, name: string | undefined] | undefined
  children?: ReactNode
}

/** A line with the name, below it the id and where it is, and the role at the end. */
function Held({ icon, kind, id, name, organization, children }: HeldProps) {
  const hasName = shownName(name, id) !== id
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="center" className={classes.held}>
      {icon}
      <div className={classes.what}>
        {kind}{' '}
        {hasName ? (
          <b>
            <bdi>{name}</bdi>
          </b>
        ) : (
          <Id>{id}</Id>
        )}{' '}
        {(hasName || organization !== undefined) && (
          <Text size="xs" c="dimmed" component="div">
            {hasName && <Id>{id}</Id>}{' '}
            {organization !== undefined && (
              <>
                in <bdi title={organization[0]}>{organization[1] ?? organization[0]}</bdi>
              </>
            )}
          </Text>
        )}
      </div>
      {children}
    </Group>
  )
}

interface PublicListProps {
  open: RevocationPreview['public']
  isDisabled: boolean
}

/** Says what stays open to everyone, also to a user without grants. */
export function PublicList({ open, isDisabled }: PublicListProps) {
  const { byDefault, accessRole, organizations, firstOrganizations } = open
  const nameOf = useNames([], firstOrganizations)
  if (!byDefault && organizations === 0) return <Text size="sm">Nothing is public.</Text>
  return (
    <Stack gap={4}>
      {byDefault && (
        <Text size="sm">
          Public by the default of the API key: everyone has access, as {accessRole}, to what has no access type of its
          own.
        </Text>
      )}
      {organizations > 0 && (
        <Text size="sm" component="div">
          Everyone has access, as {accessRole}, to public folders or documents in{' '}
          {plural(organizations, 'organization')}:{' '}
          {firstOrganizations.map((id, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <bdi title={id}>{nameOf(organization(id)) ?? id}</bdi>
            </span>
          ))}
          {organizations > firstOrganizations.length ? ', …' : '.'}
        </Text>
      )}
      {isDisabled ? (
        <Text size="sm">A disabled user has no access to public resources either.</Text>
      ) : (
        <EveryoneNote title="The user keeps access to public resources, unless you disable the user." />
      )}
    </Stack>
  )
}
