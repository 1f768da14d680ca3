/** The general settings of an API key: access, the permission provider, name, disabling and deleting. */
import { Stack } from '@mantine/core'
import { useRefusal } from '../../session/permission.ts'
import { useSession } from '../../session/use-session.ts'
import { AccessDefaults } from './access-defaults.tsx'
import { KeySection } from './key-section.tsx'
import { ProviderSection } from './provider-section.tsx'

export function GeneralView() {
  const { workspaceId } = useSession()
  const mayReadProvider = useRefusal('permission-provider-config.get') === undefined
  return (
    <Stack gap="md">
      <AccessDefaults />
      {mayReadProvider && <ProviderSection />}
      {workspaceId !== undefined && <KeySection />}
    </Stack>
  )
}
