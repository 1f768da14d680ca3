/** The settings that decide about access and user tokens. */
import { Radio, Skeleton, Stack, Switch } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { AccessType } from '#sdk/generated/operations.ts'
import { accessTypes } from '../../access-types.ts'
import { DurationInput } from '../../components/duration-input.tsx'
import { Failure } from '../../components/failure.tsx'
import { SettingsForm } from '../../components/settings-form.tsx'
import { notifyWithUndo } from '../../components/undo.tsx'
import { changesOf, useDraft } from '../../components/use-draft.ts'
import { keyConfigQuery, updateKeyConfig } from '../../queries/key-settings.ts'
import { useKey } from '../../session/use-session.ts'

const DAYS_30 = 2_592_000

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
  requireKnownResources: boolean
  userTokenLifetimeSeconds: number
  expiringSoonSeconds: number
}

function AccessDefaultsForm({ stored }: { stored: Changeable }) {
  const key = useKey()
  const { values, set, changes, discard } = useDraft(stored)
  const back = useMutation(updateKeyConfig(key))
  const update = useMutation({
    ...updateKeyConfig(key),
    onSuccess: () => {
      const before = changesOf(values, stored) ?? {}
      discard()
      notifyWithUndo('The settings are saved. They count with the next request.', () => back.mutateAsync(before))
    },
  })
  return (
    <SettingsForm
      title="Access"
      intro="What holds for every document and folder of the key that does not say otherwise, for user tokens and for grants that end."
      changed={changes !== undefined}
      busy={update.isPending}
      error={update.error}
      onSave={() => changes && update.mutate(changes)}
      onDiscard={discard}
    >
      <Radio.Group
        label="Who gets in where nothing else is set"
        description="The access type of documents whose folders and organization have none of their own."
        value={values.defaultDocumentAccessType}
        onChange={(type) => set({ ...values, defaultDocumentAccessType: type as AccessType })}
      >
        <Stack gap="xs" mt="xs">
          {accessTypes.map(([type, { label, meaning }]) => (
            <Radio key={type} value={type} label={label} description={meaning} />
          ))}
        </Stack>
      </Radio.Group>
      <Switch
        label="Require known resources"
        description="Refuse grants on organizations, folders and documents that were not added."
        checked={values.requireKnownResources}
        onChange={({ currentTarget }) => set({ ...values, requireKnownResources: currentTarget.checked })}
      />
      <DurationInput
        label="User tokens last"
        description="For how long a user token is valid that is generated from now on: 48 hours at first, 30 days at most."
        seconds={values.userTokenLifetimeSeconds}
        max={DAYS_30}
        onChange={(seconds) => set({ ...values, userTokenLifetimeSeconds: seconds })}
      />
      <DurationInput
        label="Tell that a grant ends soon"
        description="How long before its end a grant gets the event permission.expiring; 0: no such events. It holds for grants that are given or changed from now on."
        seconds={values.expiringSoonSeconds}
        max={DAYS_30}
        onChange={(seconds) => set({ ...values, expiringSoonSeconds: seconds })}
      />
    </SettingsForm>
  )
}
