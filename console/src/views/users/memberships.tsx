/** The organizations that know a user: the role in each, how many grants, and the groups. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import type { GetUserDataResult } from '#sdk/generated/operations.ts'
import { RoleBadge } from '../../components/role-badge.tsx'
import type { Rows } from '../../queries/rows.ts'
import { useKey } from '../../session/use-session.ts'
import { AnchorLink } from '../../shell/links.tsx'

interface MembershipsProps {
  held: Rows<GetUserDataResult>
  onReadOn: () => void
}

export function Memberships({ held, onReadOn }: MembershipsProps) {
  const apiKey = useKey().id
  const { kept, hasMore, isReading } = held
  if (kept.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Loading…
      </Text>
    )
  const organizations = [...Map.groupBy(kept, ({ organizationId }) => organizationId)].flatMap(([id, pages]) =>
    id === undefined ? [] : [{ id, pages }],
  )
  return (
    <Stack gap="sm">
      {organizations.length === 0 && !hasMore && (
        <Text size="sm" c="dimmed">
          No organization knows this user. Add the user to one under Users.
        </Text>
      )}
      {organizations.map(({ id, pages }) => {
        const grants = pages.flatMap(({ grants }) => grants)
        const member = grants.find(({ type }) => type === 'organization')
        const others = grants.filter(({ type }) => type !== 'organization').length
        return (
          <Stack key={id} gap={4}>
            <Group gap="xs" justify="space-between">
              <AnchorLink
                to="/keys/$apiKey/users"
                params={{ apiKey }}
                search={{ organizationId: id }}
                size="sm"
                truncate
              >
                <bdi>{id}</bdi>
              </AnchorLink>
              <Group gap="xs">
                <Text span size="xs" c="dimmed">
                  {others === 0 ? '' : `${others.toLocaleString()} ${others === 1 ? 'grant' : 'grants'} inside`}
                </Text>
                {member === undefined ? (
                  <Badge variant="default" tt="none">
                    no member
                  </Badge>
                ) : (
                  <RoleBadge
                    role={member.accessRole}
                    expiresAt={member.expiresAt === undefined ? undefined : member.expiresAt * 1_000}
                  />
                )}
              </Group>
            </Group>
            <Groups organizationId={id} groups={pages.flatMap(({ userGroups }) => userGroups)} />
          </Stack>
        )
      })}
      {hasMore && (
        <Button variant="default" size="compact-sm" w="fit-content" loading={isReading} onClick={onReadOn}>
          Read on
        </Button>
      )}
    </Stack>
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
          <bdi>{groupName ?? groupId}</bdi>
        </AnchorLink>
      ))}
    </Group>
  )
}
