/** The columns of an access review. */
import { Box, SegmentedControl, Text } from '@mantine/core'
import { strongest } from '#sdk/shared/roles.ts'
import { useNow } from '../../clock.ts'
import { EveryoneBadge } from '../../components/access/everyone.tsx'
import { ROLE_COLUMN_PX, RoleBadge } from '../../components/access/role-badge.tsx'
import { actorName } from '../../components/people/actor-name.ts'
import { PersonLink } from '../../components/people/person.tsx'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import type { Column } from '../../components/tables/data-table.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import tones from '../../components/values/tones.module.css'
import { isExpired } from '../../queries/access/access.ts'
import { nameOfDecided, type ReviewedAccess } from '../../queries/access/access-review.ts'
import { searchOf } from '../../resource.ts'
import { shownName } from '../../shown-name.ts'
import type { Decision, Decisions } from './decisions.ts'

const UNDECIDED = 'undecided'

const LAST_ACTIVE =
  'When the user last signed in or wrote a comment, anywhere in the API key. When a grant was last used is not recorded.'

/** Below 1200 pixels, where the table has no column for the expiry, this one has it. */
const ROLE_WIDTH = `max(${ROLE_COLUMN_PX}px, min(160px, (1200px - 100vw) * 1000))`

/** Wider where the table has fewer columns. */
const RESOURCE_WIDTH = 'max(150px, 20vw - 90px, min(200px, (1200px - 100vw) * 1000))'

export const columnsOf = (organizationId: string, decisions: Decisions): Column<ReviewedAccess>[] => [
  {
    key: 'holder',
    header: 'User or group',
    cell: (row) => (
      <>
        <Holder organizationId={organizationId} row={row} />
        {/* On narrow screens the table has no columns for them. */}
        <ClampedText hiddenFrom="md" size="xs" c="dimmed" lh={1.2} lines={2}>
          {roleOf(row).role ?? 'expired'} on <bdi>{shownName(row.resourceName, row.id)}</bdi>
          {row.isPublic && ', public'}
          <Ending grants={row.grants} />
        </ClampedText>
      </>
    ),
  },
  {
    key: 'resource',
    header: 'Grant on',
    width: RESOURCE_WIDTH,
    wideOnly: true,
    cell: (row) => <Reviewed organizationId={organizationId} row={row} />,
  },
  {
    key: 'role',
    header: 'Role',
    width: ROLE_WIDTH,
    wideOnly: true,
    cell: ({ grants }) => <Roles grants={grants} />,
  },
  {
    key: 'end',
    header: 'Expires',
    width: 'max(104px, 9vw)',
    wideOnly: 'desktop',
    cell: ({ grants }) => <End grants={grants} />,
  },
  { key: 'since', header: 'Since', width: 'max(144px, 12vw)', wideOnly: 'desktop', cell: (row) => <Since {...row} /> },
  {
    key: 'active',
    header: <span title={LAST_ACTIVE}>Last active</span>,
    width: 'max(104px, 8.6vw)',
    wideOnly: 'desktop',
    cell: ({ groupId, lastActiveAt }) =>
      lastActiveAt === undefined ? (
        <Unknown>{groupId === undefined ? 'unknown' : '–'}</Unknown>
      ) : (
        <Timestamp at={lastActiveAt} />
      ),
  },
  {
    key: 'decision',
    header: 'Decision',
    width: 156,
    cell: (row) => {
      const name = nameOfDecided(row)
      return (
        <SegmentedControl
          size="xs"
          transitionDuration={0}
          aria-label={`Decision about ${shownName(row.name, row.userId ?? row.groupId ?? '')} on ${shownName(row.resourceName, row.id)}`}
          value={decisions.of(name) ?? UNDECIDED}
          onChange={(value) => decisions.decide([name], value === UNDECIDED ? undefined : (value as Decision))}
          data={[
            { value: 'keep', label: 'Keep' },
            { value: UNDECIDED, label: '?' },
            { value: 'remove', label: 'Remove' },
          ]}
        />
      )
    },
  },
]

interface OfRow {
  organizationId: string
  row: ReviewedAccess
}

function Holder({ organizationId, row: { userId, groupId, name, type, id } }: OfRow) {
  return groupId === undefined ? (
    <PersonLink userId={userId ?? ''} name={name} about={searchOf(organizationId, { type, id })} />
  ) : (
    <UserGroupLink organizationId={organizationId} groupId={groupId} name={name} />
  )
}

function Reviewed({ organizationId, row: { type, id, resourceName, isPublic } }: OfRow) {
  const resource = { type, id, ...(resourceName !== undefined && { name: resourceName }) }
  return (
    <Box lh={1.3}>
      <ResourceLink organizationId={organizationId} resource={resource} short={isPublic} />
      {isPublic && (
        <div>
          <EveryoneBadge />
        </div>
      )}
    </Box>
  )
}

const Unknown = ({ children }: { children: string }) => (
  <Text span size="sm" c="dimmed">
    {children}
  </Text>
)

/** The role that the grants give now and, if it expires, the grant that gives it and the one that remains. */
function roleOf({ grants }: Pick<ReviewedAccess, 'grants'>) {
  const live = grants.filter((grant) => !isExpired(grant))
  const standing = live.find(({ expiresAt }) => expiresAt === undefined)
  // Of equal grants the standing one counts: then the role does not expire.
  const strong = strongest(standing === undefined ? live : [standing, ...live])
  return { role: strong?.accessRole, temporary: strong === standing ? undefined : strong, standing }
}

function Roles({ grants }: Pick<ReviewedAccess, 'grants'>) {
  useNow() // drawn again when the temporary grant ends
  const { role } = roleOf({ grants })
  return (
    <>
      <span className={role === undefined ? tones.over : undefined}>
        <RoleBadge role={role ?? strongest(grants)?.accessRole} />
      </span>
      {/* In small windows the table has no column for it. */}
      <ClampedText hiddenFrom="lg" size="xs" c="dimmed">
        <Ending grants={grants} />
      </ClampedText>
    </>
  )
}

/** When the temporary grant expires, and the role that remains then. */
function End({ grants }: Pick<ReviewedAccess, 'grants'>) {
  useNow()
  const { role, temporary, standing } = roleOf({ grants })
  if (role === undefined) return <Unknown>expired</Unknown>
  if (temporary?.expiresAt === undefined) return 'never'
  return (
    <>
      <Timestamp at={temporary.expiresAt * 1_000} ahead />
      {standing !== undefined && (
        <ClampedText size="xs" c="dimmed">
          then {standing.accessRole} again
        </ClampedText>
      )}
    </>
  )
}

/** ` expires in 3 days, then viewer again`; nothing for a grant without an end. */
function Ending({ grants }: Pick<ReviewedAccess, 'grants'>) {
  useNow()
  const { temporary, standing } = roleOf({ grants })
  if (temporary?.expiresAt === undefined) return null
  return (
    <>
      {' '}
      expires <Timestamp at={temporary.expiresAt * 1_000} ahead />
      {standing !== undefined && `, then ${standing.accessRole} again`}
    </>
  )
}

/** When the newest grant of the row was set, and by whom. */
function Since({ grants, name, userId }: ReviewedAccess) {
  const [newest] = grants.toSorted((one, other) => (other.grantedAt ?? 0) - (one.grantedAt ?? 0))
  if (newest?.grantedAt === undefined) return <Unknown>unknown</Unknown>
  return (
    <Box lh={1.3}>
      <Timestamp at={newest.grantedAt} />
      {newest.grantedBy !== undefined && (
        <ClampedText size="xs" c="dimmed">
          by <bdi>{actorName(newest.grantedBy, userId && shownName(name, userId))}</bdi>
        </ClampedText>
      )}
    </Box>
  )
}
