/** Selects the API key of the views. A session of an API key shows only that key. */

import { Code, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { ListPicker } from '../components/combobox/list-picker.tsx'
import { EnvironmentBadge } from '../components/page/environment.tsx'
import { keysQuery } from '../queries/keys/keys.ts'
import { useSession } from '../session/use-session.ts'

/** The name, or the id of a key without a name. */
export const nameOf = ({ id, apiKeyName }: { id: string; apiKeyName: string }): string => apiKeyName || id

const NO_KEYS: readonly ApiKeySummary[] = []

function useOfferedKeys(): readonly ApiKeySummary[] {
  const { workspaceId } = useSession()
  const { data = NO_KEYS } = useQuery({ ...keysQuery, enabled: workspaceId !== undefined })
  return data
}

export function KeySwitcher({ apiKey }: { apiKey: string | undefined }) {
  const { workspaceId } = useSession()
  const navigate = useNavigate()
  const keys = useOfferedKeys()
  if (workspaceId === undefined)
    return (
      <Text size="sm" truncate>
        API key <Code>{apiKey}</Code>
      </Text>
    )
  return (
    <ListPicker
      aria-label="API key"
      placeholder={keys.length === 0 ? 'No API keys yet' : 'Select an API key'}
      floating
      nothing="No matching API keys"
      w={{ base: '100%', sm: 168, md: 240 }}
      value={apiKey}
      items={keys.map((key) => ({
        key: key.id,
        label: nameOf(key),
        content: (
          <Group justify="space-between" gap="xs" wrap="nowrap" w="100%">
            <span>
              <bdi>{nameOf(key)}</bdi>
              {key.disabled && ', disabled'}
            </span>
            <EnvironmentBadge apiKey={key.id} />
          </Group>
        ),
      }))}
      onChange={(id) => void navigate({ to: '/keys/$apiKey', params: { apiKey: id } })}
    />
  )
}

/** The name of a key on one line; its id until the name is known. */
export function KeyName({ apiKey }: { apiKey: string }) {
  const key = useOfferedKeys().find(({ id }) => id === apiKey)
  const name = key === undefined ? apiKey : nameOf(key)
  return (
    <Text span size="sm" truncate title={name}>
      <bdi>{name}</bdi>
    </Text>
  )
}
