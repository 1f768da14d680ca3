/** The settings of the permission provider of an API key. */
import { Alert, Skeleton, Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import type { PermissionProviderConfig } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { SettingsForm } from '../../components/forms/settings-form.tsx'
import { UrlField } from '../../components/forms/url-field.tsx'
import { useSettings } from '../../components/forms/use-settings.ts'
import { SecretInput } from '../../components/secrets/secret-input.tsx'
import { permissionProviderConfigQuery, updatePermissionProviderConfig } from '../../queries/keys/key-settings.ts'
import { useKey } from '../../session/use-session.ts'

export function ProviderSection() {
  const { data, error } = useQuery(permissionProviderConfigQuery(useKey()))
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={320} />
  return <ProviderForm stored={data} />
}

function ProviderForm({ stored }: { stored: PermissionProviderConfig }) {
  const key = useKey()
  const { values, set, form } = useSettings(stored, updatePermissionProviderConfig(key), () =>
    notifications.show({ message: 'The settings of the permission provider were saved.' }),
  )
  const provider = values.permissionProviderConfig
  const change = (fields: Partial<typeof provider>) =>
    set({ ...values, permissionProviderConfig: { ...provider, ...fields } })
  return (
    <SettingsForm
      needs="permission-provider-config.update"
      title="Permission provider"
      intro="Your service, which Commonhold asks before it denies a user token access. It can give the user temporary access, which ends when the user signs out. Calls with an auth token never ask it."
      {...form}
    >
      <Switch
        label="Ask the permission provider"
        checked={values.usePermissionProvider}
        onChange={({ currentTarget }) => set({ ...values, usePermissionProvider: currentTarget.checked })}
      />
      <UrlField
        label="URL"
        description="Receives the questions. Without one, nothing is asked."
        value={provider.permissionProviderUrl}
        onChange={(permissionProviderUrl) => change({ permissionProviderUrl })}
      />
      <SecretInput
        label="Provider’s token"
        description="Sent as Authorization: Bearer. Stored encrypted and shown masked."
        stored={stored.permissionProviderConfig.authToken}
        value={provider.authToken}
        onChange={(authToken) => change({ authToken })}
      />
      <Alert color="gray" title="When it fails" c="inherit">
        If the provider does not answer correctly within 5 seconds, the call fails with permission_provider_failed. It
        is not denied, and nothing is stored. Grants that were stored earlier still give access.
      </Alert>
    </SettingsForm>
  )
}
