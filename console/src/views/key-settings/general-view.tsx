/** The general settings of an API key: access, the permission provider, name, disabling and deleting. */
import { Stack } from '@mantine/core'
import { useSession } from '../../session/use-session.ts'
import { AccessDefaults } from './access-defaults.tsx'
import { KeySection } from './key-section.tsx'
import { ProviderSection } from './provider-section.tsx'

export function GeneralView() {
  const { workspaceId } = useSession()
  return (
    <Stack gap="md">
      <AccessDefaults />
      <ProviderSection />
      {workspaceId !== undefined && <KeySection />}
    </Stack>
  )
}
