/** How a key decides about access, and the key itself: its name, whether it is on, and its end. */
import { Stack } from '@mantine/core'
import { useSession } from '../../session/use-session.ts'
import { AccessDefaults } from './access-defaults.tsx'
import { KeyItself } from './key-itself.tsx'

export function GeneralView() {
  const { workspaceId } = useSession()
  return (
    <Stack gap="md">
      <AccessDefaults />
      {workspaceId !== undefined && <KeyItself />}
    </Stack>
  )
}
