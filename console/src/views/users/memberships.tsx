/** The organizations of a user: the role, grants and groups in each, with removing the user. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { GetUserDataResult } from '#sdk/generated/operations.ts'
import { useNow } from '../../clock.ts'
import { RoleBadge } from '../../components/access/role-badge.tsx'
import { RemoveMember } from '../../components/people/remove-member.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { pageQuery } from '../../queries/pages/pages.ts'
import type { Rows } from '../../queries/pages/rows.ts'
import { organizationsQuery } from '../../queries/resources/organizations.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { OwnGrants } from './own-grants.tsx'

interface MembershipsProps {
  userId: string
  /** Undefined for a user without a name. */
  name: string | undefined
  userData: Rows<GetUserDataResult>
  onLoadMore: () => void
}

export function Memberships({ userId, name: userName, userData, onLoadMore }: MembershipsProps) {
  const [removing, askToRemove] = useState<string>()
  const { loaded, hasMore, isLoading } = userData
  const loading = (
    <Text size="sm" c="dimmed">
      Loading…
    </Text>
  )
  // Only the first page, which is loaded anyway: for the names.
  const { data: organizationPage } = useQuery(pageQuery(organizationsQuery(useKey())))
  if (loaded.length === 0) return loading
  // An organization with nothing but events of the user is not listed.
  const withAccess = loaded.filter(({ grants, userGroups }) => grants.length + userGroups.length > 0)
  const organizations = [...Map.groupBy(withAccess, ({ organizationId }) => organizationId)].flatMap(([id, pages]) =>
    id === undefined
      ? []
      : [{ id, pages, name: organizationPage?.rows.find((one) => one.id === id)?.organizationName }],
  )
  return (
    <Stack gap="lg">
      {organizations.length === 0 && !hasMore && !isLoading && (
        <Text size="sm" c="dimmed">
          This user has no grants or groups in any organization. To add a member, select the organization under Users.
        </Text>
      )}
      {organizations.map(({ id, name, pages }) => {
        const grants = pages.flatMap(({ grants }) => grants)
        return (
          <Stack key={id} gap="xs" component="section" aria-label={`In ${shownName(name, id)}`}>
            <Group gap="xs" justify="space-between">
              <Group gap="xs" miw={0}>
                <ResourceLink
                  organizationId={id}
                  resource={{ type: 'organization', id, ...(name !== undefined && { name }) }}
                />
                <Member grant={grants.find(({ type }) => type === 'organization')} />
              </Group>
              <PermittedButton
                needs="users.delete"
                size="compact-sm"
                color="red"
                variant="outline"
                onClick={() => askToRemove(id)}
              >
                Remove…
              </PermittedButton>
            </Group>
            <Groups organizationId={id} groups={pages.flatMap(({ userGroups }) => userGroups)} />
            <OwnGrants organizationId={id} organizationName={name} userId={userId} grants={grants} />
          </Stack>
        )
      })}
      {isLoading
        ? loading
        : hasMore && (
            <Button variant="default" size="compact-sm" w="fit-content" onClick={onLoadMore}>
              Load more
            </Button>
          )}
      {removing !== undefined && (
        <RemoveMember
          organizationId={removing}
          user={{ userId, name: userName }}
          onClose={() => askToRemove(undefined)}
        />
      )}
    </Stack>
  )
}

/** Shows the role in the organization. */
function Member({ grant }: { grant: GetUserDataResult['grants'][number] | undefined }) {
  const now = useNow()
  if (grant === undefined || (grant.expiresAt !== undefined && grant.expiresAt * 1_000 <= now))
    return (
      <Badge variant="default" tt="none">
        not a member
      </Badge>
    )
  return (
    <RoleBadge
      role={grant.accessRole}
      expiresAt={grant.expiresAt === undefined ? undefined : grant.expiresAt * 1_000}
    />
  )
}

interface GroupsProps {
  organizationId: string
  groups: GetUserDataResult['userGroups']
}

function Groups({ organizationId, groups }: GroupsProps) {
  const apiKey = useKey().id
  if (groups.length === 0) return null
  return (
    <Group gap={6}>
      <Text span size="xs" c="dimmed">
        Groups:
      </Text>
      {groups.map(({ groupId, groupName }) => (
        <AnchorLink
          key={groupId}
          to="/keys/$apiKey/groups"
          params={{ apiKey }}
          search={{ organizationId, groupId }}
          size="xs"
        >
          <bdi>{shownName(groupName, groupId)}</bdi>
        </AnchorLink>
      ))}
    </Group>
  )
}
