/** The grants of a user in one organization, including expired grants and those on resources that do not exist. */
import { Button, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { GetUserDataResult } from '#sdk/generated/operations.ts'
import { ResourceIcon } from '../../components/resource-icon.tsx'
import { RoleBadge } from '../../components/role-badge.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import { searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { AnchorLink } from '../../shell/links.tsx'
import { WHY } from '../../shell/paths.ts'
import classes from './own-grants.module.css'

const SHOWN_AT_ONCE = 10

interface OwnGrantsProps {
  organizationId: string
  userId: string
  grants: GetUserDataResult['grants']
}

export function OwnGrants({ organizationId, userId, grants }: OwnGrantsProps) {
  const apiKey = useKey().id
  const [shownMax, setShownMax] = useState(SHOWN_AT_ONCE)
  if (grants.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No grants.
      </Text>
    )
  return (
    <Stack gap="xs" align="start">
      <Table layout="fixed" aria-label={`Grants in ${organizationId}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Grant on</Table.Th>
            <Table.Th w={112}>Role</Table.Th>
            <Table.Th w={110}>Expires</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {grants.slice(0, shownMax).map(({ type, id, accessRole, expiresAt }) => (
            <Table.Tr key={`${type} ${id} ${expiresAt === undefined}`}>
              <Table.Td>
                <AnchorLink
                  size="sm"
                  className={classes.resource}
                  to={WHY}
                  params={{ apiKey }}
                  search={{ ...searchOf(organizationId, { type, id }), userId }}
                  title={`${type} ${id}`}
                >
                  <ResourceIcon type={type} />
                  <bdi className={classes.text}>{id}</bdi>
                </AnchorLink>
              </Table.Td>
              <Table.Td className={isExpired(expiresAt) ? classes.over : undefined}>
                <RoleBadge role={accessRole} />
              </Table.Td>
              <Table.Td>{expiresAt === undefined ? 'never' : <Expiry at={expiresAt * 1_000} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {grants.length > shownMax && (
        <Button size="compact-sm" variant="default" onClick={() => setShownMax(shownMax + 10 * SHOWN_AT_ONCE)}>
          Show more of {grants.length.toLocaleString()} grants
        </Button>
      )}
    </Stack>
  )
}

const isExpired = (expiresAt: number | undefined): boolean => expiresAt !== undefined && expiresAt * 1_000 <= Date.now()

function Expiry({ at }: { at: number }) {
  return (
    <>
      {at <= Date.now() && 'expired '}
      <Timestamp at={at} />
    </>
  )
}
