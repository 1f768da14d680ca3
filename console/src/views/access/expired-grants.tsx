/** Lists the expired grants that would otherwise give access to a resource, apart from those in effect. */
import { Button, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GrantsSection } from '../../components/access/grants-section.tsx'
import { ROLE_COLUMN_PX, RoleBadge } from '../../components/access/role-badge.tsx'
import { PersonLink } from '../../components/people/person.tsx'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { Expiry, Timestamp } from '../../components/values/timestamp.tsx'
import tones from '../../components/values/tones.module.css'
import { type Chain, expiredGrants, type ListedGrant } from '../../queries/access/access.ts'
import { userProfilesQuery } from '../../queries/access/people.ts'
import type { ScannedGrants } from '../../queries/access/use-scanned-grants.ts'
import { groupNamesQuery } from '../../queries/users/groups.ts'
import { isSame, searchOf } from '../../resource.ts'
import { shownName } from '../../shown-name.ts'
import type { Place } from './change/change.ts'
import { principalOf } from './change/principal.tsx'
import classes from './expired-grants.module.css'

const SHOWN_AT_ONCE = 50

interface ExpiredGrantsProps {
  place: Place
  /** The resources whose grants apply here. */
  places: Chain['chain']
  scan: ScannedGrants
  /** Gives a user or a user group access again. */
  onGive: (principal: string) => void
}

export function ExpiredGrants({ place, places, scan, onGive }: ExpiredGrantsProps) {
  const { key, organizationId, resource } = place
  const { hasMore, isScanning } = scan
  const isNarrow = useMediaQuery('(max-width: 47.99em)') === true
  const [shownMax, setShownMax] = useState(SHOWN_AT_ONCE)
  const grants = expiredGrants(scan.grants, places)
  const shown = grants.slice(0, shownMax)
  const userIds = [...new Set(shown.flatMap(({ userId }) => userId ?? []))]
  const groupIds = [...new Set(shown.flatMap(({ groupId }) => groupId ?? []))]
  const { data: profiles } = useQuery(userProfilesQuery(key, userIds))
  const { data: groups } = useQuery(groupNamesQuery(key, organizationId, groupIds))
  if (grants.length === 0 && (!hasMore || isScanning)) return null
  const nameOf = ({ userId, groupId = '' }: ListedGrant) =>
    userId === undefined
      ? `group ${shownName(groups?.get(groupId), groupId)}`
      : shownName(profiles?.get(userId)?.name, userId)
  const on = (grant: ListedGrant) => places.find((entry) => isSame(entry, grant)) ?? grant
  return (
    <GrantsSection
      title="Expired grants"
      label="Expired grants"
      level={2}
      intro="They no longer give access."
      scan={scan}
    >
      {shown.length > 0 && (
        <div className={classes.room}>
          <Table aria-label="Expired grants" layout="fixed">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>User or group</Table.Th>
                <Table.Th w={ROLE_COLUMN_PX}>Role</Table.Th>
                <Table.Th w="24%" visibleFrom="md">
                  Granted on
                </Table.Th>
                <Table.Th w={110} visibleFrom="md">
                  Expired
                </Table.Th>
                <Table.Th w={isNarrow ? 56 : 172}>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((grant) => (
                <Table.Tr key={JSON.stringify([principalOf(grant), grant.type, grant.id])}>
                  <Table.Td>
                    {grant.userId === undefined ? (
                      <Text size="sm" component="div">
                        <UserGroupLink
                          organizationId={organizationId}
                          groupId={grant.groupId ?? ''}
                          name={groups?.get(grant.groupId ?? '')}
                        />
                      </Text>
                    ) : (
                      <PersonLink
                        userId={grant.userId}
                        name={profiles?.get(grant.userId)?.name}
                        about={searchOf(organizationId, resource)}
                      />
                    )}
                    {grant.expiresAt !== undefined && (
                      <Text size="xs" c="dimmed" hiddenFrom="md" component="div">
                        <Expiry at={grant.expiresAt * 1000} />
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td className={tones.over}>
                    <RoleBadge role={grant.accessRole} />
                    {grant.source !== undefined && (
                      <Text size="xs" c="dimmed">
                        from the permission provider
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="md">
                    {isSame(grant, resource) ? (
                      'here'
                    ) : (
                      <ResourceLink organizationId={organizationId} resource={on(grant)} />
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="md">
                    {grant.expiresAt !== undefined && <Timestamp at={grant.expiresAt * 1000} />}
                  </Table.Td>
                  <Table.Td ta="end">
                    <PermittedButton
                      needs="grants.add"
                      size="compact-sm"
                      variant="default"
                      aria-label={`Give access again to ${nameOf(grant)}`}
                      onClick={() => onGive(principalOf(grant))}
                    >
                      {isNarrow ? <IconUserPlus size={16} aria-hidden /> : 'Give access again'}
                    </PermittedButton>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <Group gap="xs">
        {grants.length > shown.length && (
          <Button size="compact-sm" variant="default" onClick={() => setShownMax(shownMax + SHOWN_AT_ONCE)}>
            Show more of {grants.length.toLocaleString('en')}
          </Button>
        )}
        {hasMore && (
          <Button size="compact-sm" variant="default" loading={isScanning} onClick={scan.scanMore}>
            Scan more
          </Button>
        )}
      </Group>
    </GrantsSection>
  )
}
