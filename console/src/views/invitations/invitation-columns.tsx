/** The columns of the table of invitations. */
import { Box, Group } from '@mantine/core'
import { IconMailForward, IconX } from '@tabler/icons-react'
import type { Invitation } from '#sdk/generated/operations.ts'
import { EveryoneBadge } from '../../components/access/everyone.tsx'
import { ROLE_COLUMN_PX, RoleBadge } from '../../components/access/role-badge.tsx'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import type { Column } from '../../components/tables/data-table.tsx'
import { actionsColumn, RowMenu } from '../../components/tables/row-menu.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { StateBadge } from '../../components/values/state-badge.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { placeKey } from '../../queries/resources/resource-names.ts'
import { invitedTo } from '../../queries/users/invitations.ts'

interface InvitationColumns {
  /** The resources to which everyone has access, by `placeKey`. */
  open: ReadonlySet<string> | undefined
  /** The names of the resources now, by `placeKey`. */
  names: ReadonlyMap<string, string> | undefined
  onSendAgain: (invitation: Invitation) => void
  onWithdraw: (invitation: Invitation) => void
}

const STATES = {
  PENDING: { state: 'off', word: 'pending' },
  ACCEPTED: { state: 'good', word: 'accepted' },
  REJECTED: { state: 'bad', word: 'rejected' },
  WITHDRAWN: { state: 'off', word: 'withdrawn' },
} as const

export const invitationColumns = ({
  open,
  names,
  onSendAgain,
  onWithdraw,
}: InvitationColumns): Column<Invitation>[] => [
  {
    key: 'email',
    header: 'Person',
    cell: (invitation) => (
      <Box lh={1.3}>
        <ClampedText size="sm" lh="inherit">
          <bdi>{invitation.email}</bdi>
        </ClampedText>
        <Box hiddenFrom="md">
          <InvitedTo invitation={invitation} open={open} names={names} />
        </Box>
      </Box>
    ),
  },
  {
    key: 'to',
    header: 'To',
    wideOnly: true,
    cell: (invitation) => <InvitedTo invitation={invitation} open={open} names={names} />,
  },
  {
    key: 'role',
    header: 'Role',
    width: ROLE_COLUMN_PX,
    wideOnly: true,
    cell: ({ accessRole }) => (accessRole === undefined ? 'chosen later' : <RoleBadge role={accessRole} />),
  },
  {
    key: 'by',
    header: 'Invited by',
    width: 140,
    wideOnly: 'desktop',
    cell: ({ invitedBy }) => (
      <ClampedText size="sm">
        <bdi>{inviterOf(invitedBy)}</bdi>
      </ClampedText>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    width: 108,
    cell: ({ status }) => <StateBadge state={STATES[status].state}>{STATES[status].word}</StateBadge>,
  },
  {
    key: 'updated',
    header: 'Updated',
    width: 140,
    wideOnly: 'desktop',
    cell: ({ lastUpdated }) => <Timestamp at={lastUpdated} />,
  },
  actionsColumn(
    (invitation) =>
      invitation.status === 'PENDING' && (
        <RowMenu of={invitation.email}>
          <PermittedItem needs="invitations.add" Icon={IconMailForward} onClick={() => onSendAgain(invitation)}>
            Send again
          </PermittedItem>
          <PermittedItem
            needs="invitations.respond"
            color="var(--mantine-color-error)"
            Icon={IconX}
            onClick={() => onWithdraw(invitation)}
          >
            Withdraw…
          </PermittedItem>
        </RowMenu>
      ),
    48,
  ),
]

function InvitedTo({
  invitation,
  open,
  names,
}: { invitation: Invitation } & Pick<InvitationColumns, 'open' | 'names'>) {
  const resource = invitedTo(invitation)
  const name = names?.get(placeKey(resource))
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <ResourceLink
        organizationId={invitation.organizationId}
        resource={{ ...resource, ...(name !== undefined && { name }) }}
      />
      {invitation.status === 'PENDING' && open?.has(placeKey(resource)) && <EveryoneBadge />}
    </Group>
  )
}

function inviterOf(invitedBy: Invitation['invitedBy']): string {
  const { name, email, userId } = (invitedBy ?? {}) as Record<string, unknown>
  const [known = ''] = [name, email, userId].filter((text) => typeof text === 'string')
  return known
}
