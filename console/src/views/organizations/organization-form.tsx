/** The dialog that adds or renames an organization. */
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { OrganizationRecord } from '#sdk/generated/operations.ts'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { IdField } from '../../components/forms/id-field.tsx'
import { addOrganization, updateOrganizations } from '../../queries/resources/organizations.ts'
import { useKey } from '../../session/use-session.ts'

interface OrganizationFormProps {
  /** Absent for a new organization. */
  organization?: OrganizationRecord
  onClose: () => void
}

export function OrganizationForm({ organization, onClose }: OrganizationFormProps) {
  const key = useKey()
  const form = useForm({
    initialValues: { organizationId: organization?.id ?? '', organizationName: organization?.organizationName ?? '' },
    validate: { organizationId: (id) => (id === '' ? 'Enter an id.' : null) },
  })
  const add = useMutation({
    ...addOrganization(key),
    onSuccess: () => {
      notifications.show({ message: 'The organization was added.', role: 'status' })
      onClose()
    },
  })
  const update = useMutation(updateOrganizations(key))
  const { error, isPending } = organization === undefined ? add : update

  const submit = form.onSubmit(({ organizationId, organizationName }) => {
    if (organization === undefined)
      add.mutate({ organizationId, ...(organizationName === '' ? {} : { organizationName }) })
    else if (!form.isDirty()) onClose()
    else {
      const nameIt = (organizationName: string | null) => ({ organizations: [{ organizationId, organizationName }] })
      const onSuccess = () => {
        notifyWithUndo('The organization was renamed.', () =>
          update.mutateAsync(nameIt(organization.organizationName ?? null)),
        )
        onClose()
      }
      update.mutate(nameIt(organizationName || null), { onSuccess })
    }
  })
  return (
    <FormDialog
      needs={organization === undefined ? 'organizations.add' : 'organizations.update'}
      title={organization === undefined ? 'Add organization' : 'Rename organization'}
      action={organization === undefined ? 'Add' : 'Rename'}
      error={error}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <IdField known={organization !== undefined} {...form.getInputProps('organizationId')} />
      <TextInput
        label="Name"
        data-autofocus={organization !== undefined || undefined}
        autoComplete="off"
        {...form.getInputProps('organizationName')}
      />
    </FormDialog>
  )
}
