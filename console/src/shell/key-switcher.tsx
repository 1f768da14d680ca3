/** Selects the API key of the views. A session of an API key shows only that key. */
import { Code, Group, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { EnvironmentBadge } from '../components/page/environment.tsx'
import { keysQuery } from '../queries/keys/keys.ts'
import { useSession } from '../session/use-session.ts'

/** The name, or the id of a key without a name. */
export const nameOf = ({ id, apiKeyName }: { id: string; apiKeyName: string }): string => apiKeyName || id

/** Appends words to a name in plain text. Isolation marks keep their order, whatever characters the name has. */
export const withWords = (name: string, words: string): string => (words === '' ? name : `\u2068${name}\u2069${words}`)

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
    <Select
      aria-label="API key"
      placeholder={keys.length === 0 ? 'No API keys yet' : 'Select an API key'}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No matching API keys"
      w={{ base: '100%', sm: 168, md: 240 }}
      styles={{ input: { textOverflow: 'ellipsis' } }}
      value={apiKey ?? null}
      data={keys.map((key) => ({ value: key.id, label: withWords(nameOf(key), key.disabled ? ', disabled' : '') }))}
      renderOption={({ option }) => (
        <Group justify="space-between" gap="xs" wrap="nowrap" w="100%">
          <bdi>{option.label}</bdi>
          <EnvironmentBadge apiKey={option.value} />
        </Group>
      )}
      onChange={(id) => {
        if (id !== null) void navigate({ to: '/keys/$apiKey', params: { apiKey: id } })
      }}
    />
  )
}

/** The name of a key on one line; its id until the name is known. */
export function KeyName({ apiKey }: { apiKey: string }) {
  const key = useOfferedKeys().find(({ id }) => id === apiKey)
  return (
    <Text span size="sm" truncate>
      <bdi>{key === undefined ? apiKey : nameOf(key)}</bdi>
    </Text>
  )
}
