/** The access fields of a new API key: allowed domains and known resources. */
import { Stack, Switch, TagsInput } from '@mantine/core'
import type { NewKeyProps } from './key-fields.tsx'

const DOMAINS_MAX = 100

export function AccessFields({ values, onChange }: NewKeyProps) {
  return (
    <Stack gap="md">
      <TagsInput
        label="Allowed domains"
        description="Pages on these hosts may call with a user token; a leading *. stands for any subdomain. Press Enter after each."
        placeholder={values.allowedDomains.length === 0 ? 'app.example.com' : ''}
        splitChars={[',', ' ']}
        maxTags={DOMAINS_MAX}
        value={values.allowedDomains}
        onChange={(allowedDomains) => onChange({ ...values, allowedDomains })}
      />
      <Switch
        label="Also allow localhost and 127.0.0.1"
        description="For pages on your own machine. Leave it off for keys that your customers use."
        checked={values.addLocalHostToAllowedDomains}
        onChange={({ currentTarget }) => onChange({ ...values, addLocalHostToAllowedDomains: currentTarget.checked })}
      />
      <Switch
        label="Require known resources"
        description="Refuse grants on organizations, folders and documents that were never added."
        checked={values.requireKnownResources}
        onChange={({ currentTarget }) => onChange({ ...values, requireKnownResources: currentTarget.checked })}
      />
    </Stack>
  )
}
