/** The grants of a user in one organization, including expired grants and those on resources that do not exist. */
import { Button, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { GetUserDataResult } from '#sdk/generated/operations.ts'
import { useNow } from '../../clock.ts'
import { EveryoneBadge } from '../../components/access/everyone.tsx'
import { ROLE_COLUMN_PX, RoleBadge } from '../../components/access/role-badge.tsx'
import { ResourceName } from '../../components/resources/resource-name.tsx'
import { Expiry } from '../../components/values/timestamp.tsx'
import tones from '../../components/values/tones.module.css'
import { placeKey, publicPlacesQuery, resourceNamesQuery } from '../../queries/resources/resource-names.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'

const SHOWN_AT_ONCE = 10

interface OwnGrantsProps {
  organizationId: string
  organizationName: string | undefined
  userId: string
  grants: GetUserDataResult['grants']
}

export function OwnGrants({ organizationId, organizationName, userId, grants }: OwnGrantsProps) {
  const now = useNow()
  const key = useKey()
  const [shownMax, setShownMax] = useState(SHOWN_AT_ONCE)
  const { data: names } = useQuery(resourceNamesQuery(key, organizationId, grants.slice(0, shownMax)))
  const { data: open } = useQuery(publicPlacesQuery(key, organizationId, grants.slice(0, shownMax)))
  if (grants.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No grants.
      </Text>
    )
  return (
    <Stack gap="xs" align="start">
      <Table layout="fixed" aria-label={`Grants in ${shownName(organizationName, organizationId)}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Grant on</Table.Th>
            <Table.Th w={ROLE_COLUMN_PX}>Role</Table.Th>
            <Table.Th w={110} visibleFrom="xs">
              Expires
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {grants.slice(0, shownMax).map(({ type, id, accessRole, expiresAt }) => (
            <Table.Tr key={`${type} ${id} ${expiresAt === undefined}`}>
              <Table.Td>
                <ResourceName
                  organizationId={organizationId}
                  userId={userId}
                  resource={{ type, id }}
                  name={names?.get(placeKey({ type, id }))}
                />
                {open?.has(placeKey({ type, id })) && <EveryoneBadge />}
              </Table.Td>
              <Table.Td className={isExpired(expiresAt, now) ? tones.over : undefined}>
                <RoleBadge role={accessRole} />
                {expiresAt !== undefined && (
                  <Text size="xs" c="dimmed" hiddenFrom="xs">
                    <Expiry at={expiresAt * 1_000} />
                  </Text>
                )}
              </Table.Td>
              <Table.Td visibleFrom="xs">
                {expiresAt === undefined ? 'never' : <Expiry at={expiresAt * 1_000} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {grants.length > shownMax && (
        <Button size="compact-sm" variant="default" onClick={() => setShownMax(shownMax + 10 * SHOWN_AT_ONCE)}>
          Show more of {grants.length.toLocaleString('en')} grants
        </Button>
      )}
    </Stack>
  )
}

const isExpired = (expiresAt: number | undefined, now: number): boolean =>
  expiresAt !== undefined && expiresAt * 1_000 <= now
