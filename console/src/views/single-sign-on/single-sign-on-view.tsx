/** How the operators of the workspace sign in with the OpenID Connect provider of their company. */
import { Input, PasswordInput, Skeleton, Stack, Switch, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import type { SsoConfig } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { SettingsForm } from '../../components/forms/settings-form.tsx'
import { UrlField } from '../../components/forms/url-field.tsx'
import { useSettings } from '../../components/forms/use-settings.ts'
import { Page } from '../../components/page/page.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { PermittedOnly } from '../../components/permitted/permitted.tsx'
import { Id } from '../../components/values/id.tsx'
import { ssoConfigQuery, updateSsoConfig } from '../../queries/account/single-sign-on.ts'
import { ConnectionTest } from './connection-test.tsx'
import { RoleRules } from './role-rules.tsx'
import { inWordsOfForm } from './settings.ts'
import { SignInDomains } from './sign-in-domains.tsx'

export function SingleSignOnView() {
  return (
    <Page
      title="Single sign-on"
      intro="Operators sign in with the accounts of your company, at any provider that speaks OpenID Connect. Only owners see and change this."
    >
      <WorkspaceOnly>
        <PermittedOnly needs="sso-config.get">
          <Settings />
        </PermittedOnly>
      </WorkspaceOnly>
    </Page>
  )
}

function Settings() {
  const { data, error } = useQuery(ssoConfigQuery)
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={420} />
  return (
    <Stack gap="md">
      <SettingsOf stored={data} />
      <SignInDomains stored={data} />
    </Stack>
  )
}

function SettingsOf({ stored }: { stored: SsoConfig }) {
  const { redirectUri, hasClientSecret, domains: _, signInUrl: __, ...fields } = stored
  const { values, set, form } = useSettings({ ...fields, clientSecret: '' }, updateSsoConfig, () =>
    notifications.show({ message: 'The settings of single sign-on were saved.' }),
  )
  const { enabled: _enabled, clientSecret, ...settings } = values
  const tested = { ...settings, ...(clientSecret !== '' && { clientSecret }) }
  return (
    <SettingsForm needs="sso-config.update" title="Provider" {...form} error={inWordsOfForm(form.error)}>
      <Input.Wrapper label="Redirect URI" labelElement="div" description="Register this address with the provider.">
        <Id>{redirectUri}</Id>
      </Input.Wrapper>
      <UrlField
        label="Issuer URL"
        description="As the provider names itself, without /.well-known. Another issuer needs its own client secret."
        value={values.issuer}
        onChange={(issuer) => set({ ...values, issuer })}
      />
      <TextInput
        label="Client id"
        value={values.clientId}
        onChange={({ currentTarget }) => set({ ...values, clientId: currentTarget.value })}
      />
      <PasswordInput
        label="Client secret"
        description="Stored encrypted and never shown."
        placeholder={hasClientSecret ? 'Leave empty to keep the stored secret' : undefined}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': 'Show input' }}
        value={values.clientSecret}
        onChange={({ currentTarget }) => set({ ...values, clientSecret: currentTarget.value })}
      />
      <RoleRules rules={values.roles} onChange={(roles) => set({ ...values, roles })} />
      <ConnectionTest key={JSON.stringify(tested)} settings={tested} />
      <Switch
        label="Operators can sign in with the provider"
        checked={values.enabled}
        onChange={({ currentTarget }) => set({ ...values, enabled: currentTarget.checked })}
      />
    </SettingsForm>
  )
}
