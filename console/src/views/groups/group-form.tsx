/** The dialog that adds or renames a group. */
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { UserGroupRecord } from '#sdk/generated/operations.ts'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { IdField } from '../../components/forms/id-field.tsx'
import { addUserGroups, updateUserGroups } from '../../queries/users/groups.ts'
import { useKey } from '../../session/use-session.ts'

interface GroupFormProps {
  organizationId: string
  /** Absent for a new group. */
  group?: UserGroupRecord
  onClose: () => void
}

export function GroupForm({ organizationId, group, onClose }: GroupFormProps) {
  const key = useKey()
  const form = useForm({
    initialValues: { groupId: group?.groupId ?? '', groupName: group?.groupName ?? '' },
    validate: { groupId: (id) => (id === '' ? 'Enter an id.' : null) },
  })
  const add = useMutation({
    ...addUserGroups(key),
    onSuccess: () => {
      notifications.show({ message: 'The group was added.', role: 'status' })
      onClose()
    },
  })
  const update = useMutation(updateUserGroups(key))
  const { error, isPending } = group === undefined ? add : update
  const nameIt = (groupId: string, groupName: string | null) => ({
    organizationId,
    organizationUserGroups: [{ groupId, groupName }],
  })

  const submit = form.onSubmit(({ groupId, groupName }) => {
    if (group === undefined) {
      const added = { groupId, ...(groupName === '' ? {} : { groupName }) }
      add.mutate({ organizationId, organizationUserGroups: [added] })
      return
    }
    if (!form.isDirty()) return onClose()
    const onSuccess = () => {
      notifyWithUndo('The group was renamed.', () => update.mutateAsync(nameIt(groupId, group.groupName ?? null)))
      onClose()
    }
    update.mutate(nameIt(groupId, groupName || null), { onSuccess })
  })
  return (
    <FormDialog
      needs={group === undefined ? 'user-groups.add' : 'user-groups.update'}
      title={group === undefined ? 'Add group' : 'Rename group'}
      action={group === undefined ? 'Add' : 'Rename'}
      error={error}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <IdField known={group !== undefined} {...form.getInputProps('groupId')} />
      <TextInput
        label="Name"
        data-autofocus={group !== undefined || undefined}
        autoComplete="off"
        {...form.getInputProps('groupName')}
      />
    </FormDialog>
  )
}
