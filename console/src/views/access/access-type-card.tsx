/** Shows the access type in effect, with a sentence about where it comes from. */
import { Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { IconLock, IconUsers, IconWorld } from '@tabler/icons-react'
import type { AccessType } from '#sdk/generated/operations.ts'
import { ACCESS_TYPES } from '../../access-types.ts'
import { AccessTypeLabel } from '../../components/access/everyone.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import type { Chain } from '../../queries/access/access.ts'

const ICONS: Record<AccessType, typeof IconLock> = {
  public: IconWorld,
  organizationPrivate: IconUsers,
  restricted: IconLock,
}

interface AccessTypeCardProps {
  organizationId: string
  chain: Chain['chain']
  onChange: () => void
}

export function AccessTypeCard({ organizationId, chain, onChange }: AccessTypeCardProps) {
  const [first] = chain
  const boundary = chain.find((entry) => entry.boundary)
  const disabled = chain.findLast((entry) => entry.disabled)
  if (first === undefined) return null
  const type = boundary?.accessType ?? boundary?.defaultAccessType
  const Icon = type === undefined ? IconLock : ICONS[type]
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="start">
        <Group gap="md" align="start" wrap="nowrap" flex="1 1 15rem" miw={0}>
          <Icon
            size={28}
            aria-hidden
            color={type === 'public' ? 'var(--caution-line)' : undefined}
            style={{ flex: 'none' }}
          />
          <Stack gap={2} miw={0}>
            <Group gap="xs">
              <Text fw={600} component="div">
                {type === undefined ? 'By grant' : <AccessTypeLabel type={type} />}
              </Text>
              {disabled !== undefined && (
                <Badge variant="default" tt="none">
                  disabled: nobody has access
                </Badge>
              )}
            </Group>
            <Text size="sm" component="div">
              {type === undefined ? 'Users with a grant on the organization have access.' : ACCESS_TYPES[type].meaning}
            </Text>
            <Text size="sm" c="dimmed" component="div">
              <From organizationId={organizationId} first={first} boundary={boundary} />
            </Text>
          </Stack>
        </Group>
        {first.type !== 'organization' && (
          <PermittedButton needs={`${first.type}-access.set`} variant="default" onClick={onChange}>
            Change access type
          </PermittedButton>
        )}
      </Group>
    </Paper>
  )
}

type Entry = Chain['chain'][number]

function From({
  organizationId,
  first,
  boundary,
}: {
  organizationId: string
  first: Entry
  boundary?: Entry | undefined
}) {
  if (first.type === 'organization') return 'Access types are set on folders and documents.'
  if (boundary === undefined || boundary === first) return 'Set here. Grants on its ancestors do not apply.'
  if (boundary.type === 'organization') return 'Not set here or above: this is the default of the API key.'
  return (
    <>
      Inherited from <ResourceLink organizationId={organizationId} resource={boundary} />
    </>
  )
}
