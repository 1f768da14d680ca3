/** The form of a grant: users, role and expiry. The next step previews its effect. */
import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { Person } from '../../components/person.tsx'
import { UsersField } from '../../components/user-fields.tsx'
import type { Change, Grant, Place } from './change.ts'
import { type Expiry, ExpiryField, expiryFault, expiryOf, secondsOf } from './expiry-field.tsx'

interface Values {
  userIds: string[]
  accessRole: AccessRole
  expiry: Expiry
}

/** What a new grant has at first, and one beside a standing grant, which only a stronger role can change. */
const NEW: Grant = { accessRole: 'viewer' }
const LENT: Grant = { accessRole: 'editor' }

interface GrantFormProps {
  place: Place
  /** The users selected at first. */
  userIds?: readonly string[]
  /** The user whose grants are changed (`edit`), or who gets a temporary one beside them (`lend`); absent for new grants. */
  edited?: { kind: 'edit' | 'lend'; userId: string; name?: string | undefined; grants: readonly Grant[] }
  /** The values entered before. */
  before: Change | undefined
  onPreview: (change: Change) => void
  onClose: () => void
}

export function GrantForm({ place, userIds = [], edited, before, onPreview, onClose }: GrantFormProps) {
  const [first] = before?.give ?? []
  const grant = first ?? (edited?.kind === 'edit' ? inForce(edited.grants) : edited === undefined ? NEW : LENT)
  const form = useForm<Values>({
    initialValues: {
      userIds: before?.give?.map(({ userId }) => userId) ?? (edited ? [edited.userId] : [...userIds]),
      accessRole: grant.accessRole,
      expiry: expiryOf(grant.expiresAt),
    },
    validate: {
      userIds: (chosen) => (chosen.length === 0 ? 'Select at least one user.' : null),
      expiry: (expiry) =>
        edited?.kind === 'lend' && expiry.kind === 'never' ? 'Select when the role expires.' : expiryFault(expiry),
    },
  })
  const submit = form.onSubmit(({ userIds, accessRole, expiry }) => {
    const expiresAt = secondsOf(expiry)
    const replaces = edited?.kind === 'edit' ? { replaceExisting: true } : {}
    const given = { accessRole, ...(expiresAt === undefined ? {} : { expiresAt }), ...replaces }
    onPreview({ give: userIds.map((userId) => ({ userId, ...given })) })
  })
  const message = (error: unknown) => (typeof error === 'string' ? error : undefined)
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {edited === undefined ? (
          <UsersField
            organizationId={place.organizationId}
            value={form.values.userIds}
            onChange={(chosen) => form.setFieldValue('userIds', chosen)}
            error={message(form.errors.userIds)}
          />
        ) : (
          <Person userId={edited.userId} name={edited.name} />
        )}
        <Radio.Group label="Role" {...form.getInputProps('accessRole')}>
          <Stack gap="xs" mt={4}>
            <Radio value="viewer" label="Viewer: can read" data-autofocus={edited !== undefined || undefined} />
            <Radio value="editor" label="Editor: can read and write" />
          </Stack>
        </Radio.Group>
        <ExpiryField
          value={form.values.expiry}
          onChange={(expiry) => form.setFieldValue('expiry', expiry)}
          error={message(form.errors.expiry)}
        />
        {edited?.kind === 'edit' && edited.grants.length > 1 && (
          <Text size="sm" c="dimmed">
            This replaces both the standing and the temporary grant.
          </Text>
        )}
        {form.values.expiry.kind !== 'never' && (
          <Text size="sm" c="dimmed">
            {afterwards(edited, form.values.accessRole)}
          </Text>
        )}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Preview</Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The stronger of two grants; of equal ones that without an end. */
const inForce = (grants: readonly Grant[]): Grant =>
  grants.find(({ accessRole }) => accessRole === 'editor') ?? grants[0] ?? NEW

/** Says what remains when the grant has expired. */
function afterwards(edited: GrantFormProps['edited'], role: AccessRole): string {
  if (edited?.kind === 'edit') return 'Afterwards the user has no grant here.'
  const standing = edited?.grants.find(({ expiresAt }) => expiresAt === undefined)?.accessRole
  if (standing === undefined) return 'Users keep their standing grants here.'
  return standing === 'viewer' && role === 'editor'
    ? 'The standing grant as viewer stays: then viewer again.'
    : `The standing grant as ${standing} stays, and is at least as strong: this changes nothing.`
}
