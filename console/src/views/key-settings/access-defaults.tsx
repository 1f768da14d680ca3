/** The settings for access, user tokens and expiring grants. */
import { Radio, Skeleton, Stack, Switch } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { AccessType, DefaultAccessRole as Role, UserSharing } from '#sdk/generated/operations.ts'
import { opensMore } from '#sdk/shared/opened.ts'
import { Commenters } from '../../components/access/commenters.tsx'
import { DefaultAccessRole } from '../../components/access/default-access-role.tsx'
import { DefaultAccessType } from '../../components/access/default-access-type.tsx'
import { PublicDefaultNote } from '../../components/access/everyone.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { DurationInput } from '../../components/forms/duration-input.tsx'
import { SettingsForm } from '../../components/forms/settings-form.tsx'
import { useSettings } from '../../components/forms/use-settings.ts'
import { keyConfigQuery, openingQuery, updateKeyConfig } from '../../queries/keys/key-settings.ts'
import { useRefusal } from '../../session/permission.ts'
import { useKey } from '../../session/use-session.ts'

const DAYS_30 = 2_592_000

const SHARING: { value: UserSharing; label: string }[] = [
  { value: 'none', label: 'Nobody shares' },
  { value: 'editors', label: 'Editors of a document share it' },
  { value: 'editorsAndReaders', label: 'Editors share it, and readers see who has access' },
]

export function AccessDefaults() {
  const key = useKey()
  const { data, error } = useQuery(keyConfigQuery(key))
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={320} />
  const { ownerEmail: _owner, planInfo: _plan, ...changeable } = data
  return <AccessDefaultsForm stored={changeable} />
}

interface Changeable {
  defaultDocumentAccessType: AccessType
  defaultAccessRole: Role
  accessRoles: Role[]
  requireKnownResources: boolean
  requireAutoOrgUser: boolean
  userSharing: UserSharing
  userTokenLifetimeSeconds: number
  expiringSoonSeconds: number
}

function AccessDefaultsForm({ stored }: { stored: Changeable }) {
  const key = useKey()
  const back = useMutation(updateKeyConfig(key))
  const { values, set, form } = useSettings(stored, updateKeyConfig(key), (previous) =>
    notifyWithUndo('The settings were saved. They apply from the next request on.', () => back.mutateAsync(previous)),
  )
  const { defaultDocumentAccessType, defaultAccessRole } = values
  const isOpening = opensMore(stored, values)
  const isAllowed = useRefusal('key-config.update') === undefined
  const opening = useQuery({
    ...openingQuery(key, { defaultDocumentAccessType, defaultAccessRole, accessRoles: values.accessRoles }),
    enabled: isOpening && isAllowed,
  })
  return (
    <SettingsForm
      needs="key-config.update"
      title="Access"
      intro="Defaults for all documents and folders of the key, for user tokens, and for grants that expire."
      {...form}
    >
      <DefaultAccessType
        value={values.defaultDocumentAccessType}
        onChange={(defaultDocumentAccessType) => set({ ...values, defaultDocumentAccessType })}
      />
      <DefaultAccessRole
        value={values.defaultAccessRole}
        roles={values.accessRoles}
        onChange={(defaultAccessRole) => set({ ...values, defaultAccessRole })}
      />
      <PublicDefaultNote type={values.defaultDocumentAccessType} role={values.defaultAccessRole}>
        {isOpening ? (opening.data ?? undefined) : undefined}
      </PublicDefaultNote>
      {isOpening && opening.error !== null && <Failure error={opening.error} />}
      <Commenters roles={values.accessRoles} onChange={(accessRoles) => set({ ...values, accessRoles })} />
      <Switch
        label="Require known resources"
        description="Refuse grants on organizations, folders and documents that were never added."
        checked={values.requireKnownResources}
        onChange={({ currentTarget }) => set({ ...values, requireKnownResources: currentTarget.checked })}
      />
      <Switch
        label="Make users members when they sign in"
        description="A user token that is generated for an organization makes its user a member with the role above, if the organization exists and is not disabled."
        checked={values.requireAutoOrgUser}
        onChange={({ currentTarget }) => set({ ...values, requireAutoOrgUser: currentTarget.checked })}
      />
      <Radio.Group
        label="Sharing by users"
        description="What users may do on the pages of your app with their user tokens, in the limits of their own access."
        value={values.userSharing}
        onChange={(userSharing) => set({ ...values, userSharing: userSharing as UserSharing })}
      >
        <Stack gap="xs" mt="xs">
          {SHARING.map((option) => (
            <Radio key={option.value} {...option} />
          ))}
        </Stack>
      </Radio.Group>
      <DurationInput
        label="Lifetime of user tokens"
        description="Applies to user tokens generated from now on. The default is 48 hours, the maximum 30 days."
        seconds={values.userTokenLifetimeSeconds}
        max={DAYS_30}
        onChange={(seconds) => set({ ...values, userTokenLifetimeSeconds: seconds })}
      />
      <DurationInput
        label="Announce expiring grants"
        description="How long before a grant expires the event permission.expiring is emitted; 0 turns it off. Applies to grants that are added or changed from now on."
        seconds={values.expiringSoonSeconds}
        max={DAYS_30}
        onChange={(seconds) => set({ ...values, expiringSoonSeconds: seconds })}
      />
    </SettingsForm>
  )
}
