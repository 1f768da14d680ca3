/** Lists the expired grants that would otherwise give access to a resource, apart from those in effect. */
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Failure } from '../../components/failure.tsx'
import { PersonLink } from '../../components/person.tsx'
import { ResourceLink } from '../../components/resource-link.tsx'
import { RoleBadge } from '../../components/role-badge.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import { type Chain, expiredGrantsQuery, type ListedGrant } from '../../queries/access.ts'
import { profilesQueryAt } from '../../queries/people.ts'
import { isSame, searchOf } from '../../resource.ts'
import type { Place } from './change.ts'
import classes from './expired-grants.module.css'

/** A page has a thousand grants. This many pages are scanned automatically, and with each click. */
const PAGES_AT_ONCE = 5
const SHOWN_AT_ONCE = 50

interface ExpiredGrantsProps {
  place: Place
  chain: Chain['chain']
  onGive: (userId: string) => void
}

/** Returns the resources whose grants apply to the first resource of the chain. */
function applicableResources(chain: Chain['chain']): Chain['chain'] {
  const boundaryAt = chain.findIndex(({ boundary }) => boundary)
  const isOpenToMembers =
    (chain[boundaryAt]?.accessType ?? chain[boundaryAt]?.defaultAccessType) === 'organizationPrivate'
  return chain.filter(
    ({ type }, index) => boundaryAt < 0 || index <= boundaryAt || (isOpenToMembers && type === 'organization'),
  )
}

type GrantOfUser = ListedGrant & { userId: string }

export function ExpiredGrants({ place, chain, onGive }: ExpiredGrantsProps) {
  const { key, organizationId, resource } = place
  const [pagesMax, setPagesMax] = useState(PAGES_AT_ONCE)
  const [shownMax, setShownMax] = useState(SHOWN_AT_ONCE)
  const places = applicableResources(chain)
  const names = places.map(({ type, id }) => ({ type, id }))
  const query = expiredGrantsQuery(key, organizationId, names)
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(query)
  const pages = useInfiniteQuery({ ...query, select: ({ pages }) => pages.length }).data ?? 0
  const shouldContinue = hasNextPage && !isFetching && error === null && pages < pagesMax
  useEffect(() => {
    if (shouldContinue) void fetchNextPage()
  }, [shouldContinue, fetchNextPage])
  const grants = (data?.grants ?? []).filter((grant): grant is GrantOfUser => grant.userId !== undefined)
  const shown = grants.slice(0, shownMax)
  const userIds = [...new Set(shown.map(({ userId }) => userId))]
  const { data: profiles } = useQuery(
    profilesQueryAt(key, organizationId, [{ type: 'organization', id: organizationId }, ...names], userIds),
  )
  if (error !== null) return <Failure error={error} />
  if (grants.length === 0 && (!hasNextPage || shouldContinue || isFetching)) return null
  const on = (grant: ListedGrant) => places.find((entry) => isSame(entry, grant)) ?? grant
  return (
    <Stack gap="xs" component="section" aria-label="Expired grants">
      <div>
        <Title order={2} size="h4">
          Expired grants
        </Title>
        <Text size="sm" c="dimmed">
          They no longer give access.
          {hasNextPage && ` ${data?.scanned.toLocaleString()} grants of the organization were scanned.`}
        </Text>
      </div>
      {shown.length > 0 && (
        <div className={classes.room}>
          <Table aria-label="Expired grants" layout="fixed">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>User</Table.Th>
                <Table.Th w="clamp(7rem, 20%, 14rem)">Role</Table.Th>
                <Table.Th w="24%" visibleFrom="md">
                  Granted on
                </Table.Th>
                <Table.Th w={110}>Expired</Table.Th>
                <Table.Th w={120} visibleFrom="sm" aria-label="Actions" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((grant) => (
                <Table.Tr key={JSON.stringify([grant.userId, grant.type, grant.id])}>
                  <Table.Td>
                    <PersonLink
                      userId={grant.userId}
                      name={profiles?.get(grant.userId)?.name}
                      about={searchOf(organizationId, resource)}
                    />
                  </Table.Td>
                  <Table.Td className={classes.over}>
                    <RoleBadge role={grant.accessRole} />
                  </Table.Td>
                  <Table.Td visibleFrom="md">
                    {isSame(grant, resource) ? (
                      'here'
                    ) : (
                      <ResourceLink organizationId={organizationId} resource={on(grant)} />
                    )}
                  </Table.Td>
                  <Table.Td>{grant.expiresAt !== undefined && <Timestamp at={grant.expiresAt * 1000} />}</Table.Td>
                  <Table.Td visibleFrom="sm" ta="end">
                    <Button size="compact-sm" variant="default" onClick={() => onGive(grant.userId)}>
                      Give access again
                    </Button>
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
            Show more of {grants.length.toLocaleString()}
          </Button>
        )}
        {hasNextPage && (
          <Button
            size="compact-sm"
            variant="default"
            loading={isFetching}
            onClick={() => setPagesMax(pages + PAGES_AT_ONCE)}
          >
            Scan more
          </Button>
        )}
      </Group>
    </Stack>
  )
}
