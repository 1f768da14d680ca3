/** The form of a grant: users and user groups, role and expiry. The next step previews its effect. */
import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { isStronger, strongest } from '#sdk/shared/roles.ts'
import { ROLE_LABELS, useAccessRoles } from '../../../components/access/roles.ts'
import { UsersField } from '../../../components/people/user-fields.tsx'
import { UserGroupsField } from '../../../components/people/user-groups-field.tsx'
import type { Change, Grant, Place } from './change.ts'
import { type Expiry, ExpiryField, expiryFault, expiryOf, secondsOf } from './expiry-field.tsx'
import { Holder, holderOf, principalOf } from './principal.tsx'

interface Values {
  userIds: string[]
  groupIds: string[]
  accessRole: AccessRole
  expiry: Expiry
}

/** The initial values of a new grant, and of a grant beside a standing one, where only a stronger role has an effect. */
const NEW: Grant = { accessRole: 'viewer' }
const LENT: Grant = { accessRole: 'editor' }

interface GrantFormProps {
  place: Place
  /** The users and user groups selected at first. */
  principals?: readonly string[]
  /** The user or user group whose grants are changed (`edit`), or who gets a temporary one beside them (`lend`); absent for new grants. */
  edited?: { kind: 'edit' | 'lend'; principal: string; name?: string | undefined; grants: readonly Grant[] }
  /** The values entered before. */
  before: Change | undefined
  onPreview: (change: Change) => void
  onClose: () => void
}

export function GrantForm({ place, principals = [], edited, before, onPreview, onClose }: GrantFormProps) {
  const [first] = before?.give ?? []
  const grant = first ?? (edited?.kind === 'edit' ? inForce(edited.grants) : edited === undefined ? NEW : LENT)
  const holders = (before?.give?.map(({ principal }) => principal) ?? principals).map(holderOf)
  // With a holder, the role is the first thing to choose; coming back from the preview as well.
  const hasHolder = edited !== undefined || holders.length > 0
  const role = useRef<HTMLDivElement>(null)
  const roles = useAccessRoles()
  const isBack = before !== undefined
  useEffect(() => {
    if (isBack) role.current?.querySelector<HTMLInputElement>('input:checked')?.focus()
  }, [isBack])
  const form = useForm<Values>({
    initialValues: {
      userIds: holders.flatMap(({ userId }) => userId ?? []),
      groupIds: holders.flatMap(({ groupId }) => groupId ?? []),
      accessRole: grant.accessRole,
      expiry: expiryOf(grant.expiresAt),
    },
    validate: {
      userIds: (chosen, { groupIds }) =>
        edited === undefined && chosen.length + groupIds.length === 0 ? 'Select at least one user or group.' : null,
      expiry: (expiry) =>
        edited?.kind === 'lend' && expiry.kind === 'never' ? 'Select when the role expires.' : expiryFault(expiry),
    },
  })
  const submit = form.onSubmit(({ userIds, groupIds, accessRole, expiry }) => {
    const expiresAt = secondsOf(expiry)
    const replaces = edited?.kind === 'edit' ? { replaceExisting: true } : {}
    const given = { accessRole, ...(expiresAt === undefined ? {} : { expiresAt }), ...replaces }
    const chosen = [...userIds, ...groupIds.map((groupId) => principalOf({ groupId }))]
    onPreview({ give: (edited ? [edited.principal] : chosen).map((principal) => ({ principal, ...given })) })
  })
  const message = (error: unknown) => (typeof error === 'string' ? error : undefined)
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {edited === undefined ? (
          <>
            <UsersField
              organizationId={place.organizationId}
              autofocus={!hasHolder}
              value={form.values.userIds}
              onChange={(chosen) => form.setFieldValue('userIds', chosen)}
              error={message(form.errors.userIds)}
            />
            <UserGroupsField
              organizationId={place.organizationId}
              value={form.values.groupIds}
              onChange={(chosen) => {
                form.setFieldValue('groupIds', chosen)
                form.clearFieldError('userIds')
              }}
            />
          </>
        ) : (
          <Holder principal={edited.principal} name={edited.name} />
        )}
        <Radio.Group label="Role" {...form.getInputProps('accessRole')}>
          <Stack gap="xs" mt={4} ref={role}>
            {roles.map((value) => (
              <Radio
                key={value}
                value={value}
                label={ROLE_LABELS[value]}
                data-autofocus={(hasHolder && value === grant.accessRole) || undefined}
              />
            ))}
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
const inForce = (grants: readonly Grant[]): Grant => strongest(grants) ?? NEW

/** Says what remains when the grant has expired. */
function afterwards(edited: GrantFormProps['edited'], role: AccessRole): string {
  if (edited?.kind === 'edit')
    return `Afterwards the ${holderOf(edited.principal).groupId === undefined ? 'user' : 'group'} has no grant here.`
  const standing = edited?.grants.find(({ expiresAt }) => expiresAt === undefined)?.accessRole
  if (standing === undefined) return 'Standing grants here are kept.'
  return isStronger(role, standing)
    ? `The standing grant as ${standing} stays: then ${standing} again.`
    : `The standing grant as ${standing} stays, and is at least as strong: this changes nothing.`
}
