/** The basic fields of a new API key: type, owner, name, default access and plan. */
import { Group, Radio, Stack, Switch, TextInput } from '@mantine/core'
import type { KeyType } from '#sdk/generated/operations.ts'
import { Commenters } from '../../components/access/commenters.tsx'
import { DefaultAccessRole } from '../../components/access/default-access-role.tsx'
import { DefaultAccessType } from '../../components/access/default-access-type.tsx'
import { PublicDefaultNote } from '../../components/access/everyone.tsx'
import { useRefusals } from '../../session/permission.ts'
import type { faultsOf, NewKey } from './new-key.ts'

const TYPES: readonly { value: KeyType; label: string; description: string }[] = [
  { value: 'testing', label: 'Testing', description: 'For development and tests. Works like a production key.' },
  {
    value: 'production',
    label: 'Production',
    description: 'For the application that your customers use. Needs a plan.',
  },
]

/** A type of which one may not create keys is disabled, and says why before the form is filled; the form says it for all types. */
function TypeRadio({ value, label, description }: (typeof TYPES)[number]) {
  const refusalOf = useRefusals()
  const ofAll = refusalOf('api-keys.create', { keyType: 'testing' })
  const refusal = ofAll === undefined ? refusalOf('api-keys.create', { keyType: value }) : undefined
  return <Radio value={value} label={label} description={refusal ?? description} disabled={refusal !== undefined} />
}

export interface NewKeyProps {
  values: NewKey
  onChange: (values: NewKey) => void
}

export function KeyFields({ values, onChange, faults }: NewKeyProps & { faults: ReturnType<typeof faultsOf> }) {
  const change = (fields: Partial<NewKey>) => onChange({ ...values, ...fields })
  return (
    <Stack gap="md">
      <Radio.Group label="Type" required value={values.type} onChange={(type) => change({ type: type as KeyType })}>
        <Group mt="xs" gap="md">
          {TYPES.map((type) => (
            <TypeRadio key={type.value} {...type} />
          ))}
        </Group>
      </Radio.Group>
      <TextInput
        name="ownerEmail"
        type="email"
        label="Owner e-mail"
        description="Receives mails about the key, if e-mail is on."
        required
        autoComplete="email"
        value={values.ownerEmail}
        error={faults.ownerEmail}
        onChange={({ currentTarget }) => change({ ownerEmail: currentTarget.value })}
      />
      <TextInput
        label="Name"
        description="If empty, it is derived from the e-mail address, such as “Ada Test API Key”."
        autoComplete="off"
        value={values.apiKeyName}
        onChange={({ currentTarget }) => change({ apiKeyName: currentTarget.value })}
      />
      <DefaultAccessType
        value={values.defaultDocumentAccessType}
        onChange={(defaultDocumentAccessType) => change({ defaultDocumentAccessType })}
      />
      <DefaultAccessRole
        value={values.defaultAccessRole}
        roles={values.accessRoles}
        onChange={(defaultAccessRole) => change({ defaultAccessRole })}
      />
      <PublicDefaultNote type={values.defaultDocumentAccessType} role={values.defaultAccessRole} />
      <Commenters roles={values.accessRoles} onChange={(accessRoles) => change({ accessRoles })} />
      <Switch
        label="Create an auth token"
        description="The secret that your back end sends, with all scopes. Without one, nothing can call the API with this key until you create a token."
        checked={values.createAuthToken}
        onChange={({ currentTarget }) => change({ createAuthToken: currentTarget.checked })}
      />
      <TextInput
        name="planType"
        label="Plan"
        description="What the key is used for, such as “sdk test” or “production”. It is a note: stored and shown, without effect."
        required={values.type === 'production'}
        autoComplete="off"
        value={values.planType}
        error={faults.planType}
        onChange={({ currentTarget }) => change({ planType: currentTarget.value })}
      />
    </Stack>
  )
}
