/** The dialog that invites a person, and shows the link once if it is not sent by mail. */
import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatorRole } from '#sdk/generated/operations.ts'
import { DoneDialog } from '../../components/forms/done-dialog.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { SecretDialog } from '../../components/secrets/secret-dialog.tsx'
import { CONFIRMS_ADDRESSES } from '../../page-data.ts'
import { inviteOperator } from '../../queries/account/operators.ts'
import { ROLE_TEXTS, useGivenRoles } from './roles.ts'

export function InvitePerson({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState({ email: '', name: '', role: 'developer' as OperatorRole })
  const roles = useGivenRoles()
  const invite = useMutation(inviteOperator)
  const { email, name, role } = values
  if (invite.data !== undefined) {
    const { operator, link } = invite.data
    if (link === undefined)
      return (
        <DoneDialog title="Person invited" onClose={onClose}>
          <Text size="sm">
            {CONFIRMS_ADDRESSES
              ? `A mail is sent to ${operator.email}. If the address is not confirmed yet, it only asks whether the person wants mail: after confirming, the person requests a link on the sign-in page, or is invited again. Otherwise it has the link.`
              : `A link is sent to ${operator.email}.`}{' '}
            The link signs <bdi>{operator.name}</bdi> in once, within seven days. If no mail arrives, invite the person
            again.
          </Text>
        </DoneDialog>
      )
    return (
      <SecretDialog
        title="Person invited"
        label={`Link for ${operator.name}`}
        secret={link}
        advice={`Pass it to ${operator.name} alone.`}
        onClose={onClose}
      >
        <Text size="sm">
          The link signs <bdi>{operator.name}</bdi> in once, within seven days. The server has no mail server, so pass
          it on yourself.
        </Text>
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      needs="operators.invite"
      title="Invite a person"
      action="Invite"
      error={invite.error}
      busy={invite.isPending}
      onSubmit={() =>
        invite.mutate({ email: email.trim(), role, ...(name.trim() === '' ? {} : { name: name.trim() }) })
      }
      onClose={onClose}
    >
      <TextInput
        label="E-mail address"
        type="email"
        value={email}
        autoComplete="off"
        data-autofocus
        onChange={({ currentTarget }) => setValues({ ...values, email: currentTarget.value })}
      />
      <TextInput
        label="Name"
        description="Events show it. Default: the address."
        value={name}
        autoComplete="off"
        onChange={({ currentTarget }) => setValues({ ...values, name: currentTarget.value })}
      />
      <NativeSelect
        label="Role"
        description={ROLE_TEXTS[role]}
        data={[...roles]}
        value={role}
        onChange={({ currentTarget }) => setValues({ ...values, role: currentTarget.value as OperatorRole })}
      />
    </FormDialog>
  )
}
