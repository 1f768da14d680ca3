/** The dialog that invites a person. */
import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { AccessRole, InvitationType } from '#sdk/generated/operations.ts'
import { ROLE_LABELS, useAccessRoles } from '../../components/access/roles.ts'
import { InvitationMailNote } from '../../components/feedback/mail-state.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { IdPicker } from '../../components/search/id-picker.tsx'
import { addInvitation } from '../../queries/users/invitations.ts'
import { useKey } from '../../session/use-session.ts'

const TARGETS: { value: InvitationType; label: string }[] = [
  { value: 'org_user', label: 'The organization' },
  { value: 'folder_user', label: 'A folder' },
  { value: 'doc_user', label: 'A document' },
]

interface Values {
  accessRole: AccessRole
  email: string
  type: InvitationType
  resourceId: string
}

export function InviteForm({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const form = useForm<Values>({
    initialValues: { accessRole: 'viewer', email: '', type: 'org_user', resourceId: '' },
    validate: {
      email: (email) => (/^\S+@\S+$/.test(email) ? null : 'Enter an e-mail address.'),
      resourceId: (id, { type }) => (type !== 'org_user' && id === '' ? 'Enter an id.' : null),
    },
  })
  const roles = useAccessRoles()
  const invite = useMutation({
    ...addInvitation(useKey()),
    onSuccess: (_result, { email }) => {
      notifications.show({ message: `${email} was invited.`, role: 'status' })
      onClose()
    },
  })
  const submit = form.onSubmit(({ accessRole, email, type, resourceId }) => {
    const target =
      type === 'doc_user' ? { documentId: resourceId } : type === 'folder_user' ? { folderId: resourceId } : {}
    invite.mutate({ organizationId, type, email, accessRole, ...target })
  })
  const { type } = form.values
  return (
    <FormDialog
      needs="invitations.add"
      title="Invite a person"
      action="Invite"
      error={invite.error}
      busy={invite.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Radio.Group
        label="Role"
        description="Accepting gives this role; the person cannot choose another."
        {...form.getInputProps('accessRole')}
      >
        <Stack gap="xs" mt={4}>
          {roles.map((role) => (
            <Radio key={role} value={role} label={ROLE_LABELS[role]} data-autofocus={role === 'viewer' || undefined} />
          ))}
        </Stack>
      </Radio.Group>
      <TextInput label="E-mail" type="email" autoComplete="off" {...form.getInputProps('email')} />
      <NativeSelect label="To" data={TARGETS} {...form.getInputProps('type')} />
      {type !== 'org_user' && (
        <IdPicker
          label={type === 'doc_user' ? 'Document' : 'Folder'}
          placeholder="Name or id"
          kinds={[type === 'doc_user' ? 'document' : 'folder']}
          organizationId={organizationId}
          {...form.getInputProps('resourceId')}
          value={form.values.resourceId}
        />
      )}
      <InvitationMailNote />
    </FormDialog>
  )
}
