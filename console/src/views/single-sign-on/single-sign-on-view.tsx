/** How the operators of the workspace sign in with the OpenID Connect provider of their company. */
import { Input, PasswordInput, Skeleton, Switch, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SsoConfig } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { SettingsForm } from '../../components/forms/settings-form.tsx'
import { useDraft } from '../../components/forms/use-draft.ts'
import { Page } from '../../components/page/page.tsx'
import { RoleOnly } from '../../components/page/role-only.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { Id } from '../../components/values/id.tsx'
import { ssoConfigQuery, updateSsoConfig } from '../../queries/account/single-sign-on.ts'
import { RoleRules } from './role-rules.tsx'

export function SingleSignOnView() {
  return (
    <Page
      title="Single sign-on"
      intro="Operators sign in with the accounts of your company, at any provider that speaks OpenID Connect. Only owners see and change this."
    >
      <WorkspaceOnly>
        <RoleOnly least="owner">
          <Settings />
        </RoleOnly>
      </WorkspaceOnly>
    </Page>
  )
}

function Settings() {
  const { data, error } = useQuery(ssoConfigQuery)
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={420} />
  return <SettingsOf stored={data} />
}

function SettingsOf({ stored }: { stored: SsoConfig }) {
  const { redirectUri, hasClientSecret, ...fields } = stored
  const { values, set, changes, discard } = useDraft({ ...fields, clientSecret: '' })
  const update = useMutation({
    ...updateSsoConfig,
    onSuccess: () => {
      discard()
      notifications.show({ message: 'The settings of single sign-on were saved.' })
    },
  })
  return (
    <SettingsForm
      title="Provider"
      changed={changes !== undefined}
      busy={update.isPending}
      error={update.error}
      onSave={() => changes && update.mutate(changes)}
      onDiscard={discard}
    >
      <Input.Wrapper label="Redirect URI" labelElement="div" description="Register this address with the provider.">
        <Id>{redirectUri}</Id>
      </Input.Wrapper>
      <Switch
        label="Operators can sign in with the provider"
        checked={values.enabled}
        onChange={({ currentTarget }) => set({ ...values, enabled: currentTarget.checked })}
      />
      <TextInput
        label="Issuer URL"
        description="As the provider names itself, without /.well-known. Another issuer needs its own client secret."
        type="url"
        placeholder="https://"
        value={values.issuer}
        onChange={({ currentTarget }) => set({ ...values, issuer: currentTarget.value })}
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
    </SettingsForm>
  )
}
