/** The invitations to an organization, its folders and its documents: inviting, sending again, withdrawing. */

import { Group, Paper, Switch } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconMailPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Invitation } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { FILTER_WIDTH, OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { NoOrganizations } from '../../components/resources/organization-states.tsx'
import { DataTable } from '../../components/tables/data-table.tsx'
import { useAddress } from '../../links/use-address.ts'
import { pageQuery } from '../../queries/pages/pages.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { organizationsQuery } from '../../queries/resources/organizations.ts'
import { publicPlacesQuery, resourceNamesQuery } from '../../queries/resources/resource-names.ts'
import { addInvitation, invitationsQuery, invitedTo, nameOfInvitation } from '../../queries/users/invitations.ts'
import { openOrganization } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { invitationColumns } from './invitation-columns.tsx'
import { InviteForm } from './invite-form.tsx'
import { WithdrawInvitation } from './withdraw-invitation.tsx'

export function InvitationsView() {
  const key = useKey()
  const [address, change] = useAddress(useSearch({ from: '/keys/$apiKey/invitations' }))
  const organizations = useQuery(pageQuery(organizationsQuery(key)))
  const organizationId = address.organizationId ?? openOrganization(key.id, organizations.data?.rows) ?? ''
  const [pendingOnly, setPendingOnly] = useState(false)
  const [inviting, { open: invite, close: closeInviting }] = useDisclosure()
  const [withdrawn, askToWithdraw] = useState<Invitation>()
  const rows = useRows({ ...invitationsQuery(key, organizationId, pendingOnly), enabled: organizationId !== '' })
  const places = rows.loaded.map(invitedTo)
  const { data: open } = useQuery(publicPlacesQuery(key, organizationId, places))
  const { data: names } = useQuery(resourceNamesQuery(key, organizationId, places))
  const again = useMutation({
    ...addInvitation(key),
    onSuccess: (_result, { email }) => {
      notifications.show({ message: `The invitation of ${email} was renewed.`, role: 'status' })
    },
    onError: notifyFailure,
  })
  const inviteButton = (
    <PermittedButton
      needs="invitations.add"
      leftSection={<IconMailPlus size={16} aria-hidden />}
      onClick={invite}
      disabled={organizationId === ''}
    >
      Invite
    </PermittedButton>
  )
  return (
    <Page
      title="Invitations"
      intro="People who are asked, by their e-mail addresses, to an organization, a folder or a document."
      actions={inviteButton}
    >
      <Group align="end">
        <OrganizationSelect
          label="Organization"
          w={FILTER_WIDTH}
          value={organizationId}
          onChange={(organizationId) => change(() => ({ organizationId }))}
        />
        <Switch
          label="Only pending"
          mb={8}
          checked={pendingOnly}
          onChange={({ currentTarget }) => setPendingOnly(currentTarget.checked)}
        />
      </Group>
      {organizationId === '' && organizations.data !== undefined && (
        <NoOrganizations>Invitations belong to an organization.</NoOrganizations>
      )}
      {organizationId !== '' && (
        <DataTable
          label="Invitations"
          rows={rows}
          columns={invitationColumns({
            ...{ open, names },
            onSendAgain: (invitation) => again.mutate(nameOfInvitation(invitation)),
            onWithdraw: askToWithdraw,
          })}
          idOf={({ invitationId }) => invitationId}
          empty={
            <Paper withBorder>
              <EmptyState title={pendingOnly ? 'No pending invitations' : 'No invitations yet'} action={inviteButton}>
                Invite somebody here, or from your back end with <code>invitations.add</code>.
              </EmptyState>
            </Paper>
          }
        />
      )}
      {inviting && <InviteForm organizationId={organizationId} onClose={closeInviting} />}
      {withdrawn !== undefined && (
        <WithdrawInvitation invitation={withdrawn} onClose={() => askToWithdraw(undefined)} />
      )}
    </Page>
  )
}
