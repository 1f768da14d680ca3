/** The grants of a group, each with a link to where it is changed or revoked. */
import { Button, Group, Paper, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNow } from '../../clock.ts'
import { EveryoneBadge } from '../../components/access/everyone.tsx'
import { GrantsSection } from '../../components/access/grants-section.tsx'
import { ROLE_COLUMN_PX, RoleBadge } from '../../components/access/role-badge.tsx'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { Expiry, Timestamp } from '../../components/values/timestamp.tsx'
import tones from '../../components/values/tones.module.css'
import { isExpired, type ListedGrant } from '../../queries/access/access.ts'
import { useScannedGrants } from '../../queries/access/use-scanned-grants.ts'
import { staticRows } from '../../queries/pages/rows.ts'
import { placeKey, publicPlacesQuery, resourceNamesQuery } from '../../queries/resources/resource-names.ts'
import { useKey } from '../../session/use-session.ts'

interface GrantsProps {
  organizationId: string
  groupId: string
}

export function Grants({ organizationId, groupId }: GrantsProps) {
  const scan = useScannedGrants(organizationId)
  const grants = scan.grants.filter((grant) => grant.groupId === groupId)
  // Asked once all are scanned: each page would ask for all of them again.
  const of = [useKey(), organizationId, scan.isScanning ? [] : grants] as const
  const { data: open } = useQuery(publicPlacesQuery(...of))
  const { data: names } = useQuery(resourceNamesQuery(...of))
  return (
    <GrantsSection
      title="Grants"
      label="Grants of the group"
      level={3}
      intro="They apply to the users in the group while these are members of the organization."
      scan={scan}
    >
      <DataTable
        label="Grants of the group"
        rows={staticRows(grants, { error: scan.error, isFetching: scan.isScanning })}
        columns={columnsOf(organizationId, { open, names })}
        idOf={({ type, id, expiresAt }) => JSON.stringify([type, id, expiresAt === undefined])}
        height="24rem"
        empty={
          <Paper withBorder>
            <EmptyState title={scan.hasMore ? 'No grants found so far' : 'No grants yet'}>
              “Give access” above asks for an organization, folder or document.
            </EmptyState>
          </Paper>
        }
      />
      {scan.hasMore && (
        <Button size="compact-sm" variant="default" w="fit-content" loading={scan.isScanning} onClick={scan.scanMore}>
          Scan more
        </Button>
      )}
    </GrantsSection>
  )
}

/** The names of the resources, and which of them can be opened, by `placeKey`. */
interface Known {
  open: ReadonlySet<string> | undefined
  names: ReadonlyMap<string, string> | undefined
}

const columnsOf = (organizationId: string, { open, names }: Known): Column<ListedGrant>[] => [
  {
    key: 'resource',
    header: 'Grant on',
    cell: ({ type, id, expiresAt }) => {
      const name = names?.get(placeKey({ type, id }))
      return (
        <>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <ResourceLink
              organizationId={organizationId}
              resource={{ type, id, ...(name !== undefined && { name }) }}
            />
            {open?.has(placeKey({ type, id })) && <EveryoneBadge />}
          </Group>
          {expiresAt !== undefined && (
            <Text size="xs" c="dimmed" lh={1.2} component="div" hiddenFrom="md">
              expires <Timestamp at={expiresAt * 1_000} ahead />
            </Text>
          )}
        </>
      )
    },
  },
  {
    key: 'role',
    header: 'Role',
    width: ROLE_COLUMN_PX,
    cell: (grant) => <GrantedRole grant={grant} />,
  },
  {
    key: 'expires',
    header: 'Expires',
    width: 150,
    wideOnly: true,
    cell: ({ expiresAt }) => (expiresAt === undefined ? 'never' : <Expiry at={expiresAt * 1_000} />),
  },
]

/** The role of an expired grant is struck through. */
function GrantedRole({ grant }: { grant: ListedGrant }) {
  useNow()
  return (
    <span className={isExpired(grant) ? tones.over : undefined}>
      <RoleBadge role={grant.accessRole} />
    </span>
  )
}
