/** The dialog that adds a user or edits a profile. */
import { Checkbox, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccessRole, UserRecord } from '#sdk/generated/operations.ts'
import { useAccessRoles } from '../../components/access/roles.ts'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { IdField } from '../../components/forms/id-field.tsx'
import { addUser } from '../../queries/users/new-users.ts'
import { setProfiles } from '../../queries/users/users.ts'
import { useKey } from '../../session/use-session.ts'

const TEXTS = [
  { field: 'name', label: 'Name' },
  { field: 'email', label: 'E-mail address' },
  { field: 'photoUrl', label: 'Picture URL' },
  { field: 'plan', label: 'Plan' },
  { field: 'type', label: 'Type' },
] as const

const FLAGS = [
  { field: 'isAdmin', label: 'Admin in your application' },
  { field: 'isGuest', label: 'Guest' },
  { field: 'isReadOnly', label: 'Read only' },
  { field: 'isAnonymous', label: 'Anonymous' },
] as const

type TextName = (typeof TEXTS)[number]['field']
type FlagName = (typeof FLAGS)[number]['field']
type ProfileValues = Record<TextName, string> & Record<FlagName, boolean>

function valuesOf(profile: Readonly<Record<string, unknown>> = {}): ProfileValues {
  const texts = TEXTS.map(({ field }) => [field, typeof profile[field] === 'string' ? profile[field] : ''])
  const flags = FLAGS.map(({ field }) => [field, profile[field] === true])
  return Object.fromEntries([...texts, ...flags]) as ProfileValues
}

type ProfileChange = Partial<Record<TextName, string | null> & Record<FlagName, boolean | null>>

/** Returns the update that turns `before` into `after`; null clears a field. */
function profileChange(before: ProfileValues, after: ProfileValues): ProfileChange {
  const changed = [...TEXTS, ...FLAGS].map(({ field }) => field).filter((field) => before[field] !== after[field])
  return Object.fromEntries(changed.map((field) => [field, after[field] || null]))
}

interface ProfileFormProps {
  /** Absent for a new user. */
  user?: Pick<UserRecord, 'userId'> & Record<string, unknown>
  /** The organization that a new user joins; may be empty. */
  organizationId: string
  onClose: () => void
}

const NO_MEMBER = 'none'

export function ProfileForm({ user, organizationId, onClose }: ProfileFormProps) {
  const key = useKey()
  // The values as they were shown: changes of others meanwhile are not undone.
  const [before] = useState(() => valuesOf(user))
  const roles = useAccessRoles()
  const form = useForm({
    initialValues: { userId: user?.userId ?? '', role: organizationId === '' ? NO_MEMBER : 'viewer', ...before },
    validate: { userId: (id) => (id === '' ? 'Enter an id.' : null) },
  })
  const store = useMutation(setProfiles(key))
  const add = useMutation(addUser(key))
  const { error, isPending } = user === undefined ? add : store

  const submit = form.onSubmit(({ userId, role, ...values }) => {
    const change = profileChange(before, values)
    if (user === undefined) {
      const profile = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null))
      const membership = role === NO_MEMBER ? {} : { membership: { organizationId, accessRole: role as AccessRole } }
      const onSuccess = () => done(role === NO_MEMBER ? 'The profile was stored.' : 'The user was added.')
      return add.mutate({ userId, profile, ...membership }, { onSuccess })
    }
    const onSuccess = () => {
      notifyWithUndo('The profile was changed.', () =>
        store.mutateAsync({ users: [{ userId, ...profileChange(values, before) }] }),
      )
      onClose()
    }
    if (Object.keys(change).length === 0) onClose()
    else store.mutate({ users: [{ userId, ...change }] }, { onSuccess })
  })
  function done(message: string): void {
    notifications.show({ message, role: 'status' })
    onClose()
  }
  return (
    <FormDialog
      needs={user === undefined ? ['users.add', 'profiles.set'] : 'profiles.set'}
      title={user === undefined ? 'Add user' : 'Edit profile'}
      action={user === undefined ? 'Add' : 'Save'}
      error={error}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <IdField known={user !== undefined} {...form.getInputProps('userId')} />
      {user === undefined && organizationId !== '' && (
        <NativeSelect
          label="Role in the organization"
          data={[...roles, { value: NO_MEMBER, label: 'not a member: only store the profile' }]}
          {...form.getInputProps('role')}
        />
      )}
      {TEXTS.map(({ field, label }) => (
        <TextInput
          key={field}
          label={label}
          autoComplete="off"
          data-autofocus={(user !== undefined && field === 'name') || undefined}
          {...form.getInputProps(field)}
        />
      ))}
      <Text size="sm" c="dimmed">
        Picture, plan, type and the fields below are kept for your application. They give no access.
      </Text>
      <Group gap="md">
        {FLAGS.map(({ field, label }) => (
          <Checkbox key={field} label={label} {...form.getInputProps(field, { type: 'checkbox' })} />
        ))}
      </Group>
    </FormDialog>
  )
}
