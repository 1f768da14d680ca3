/** Selects the API key of the views. A session of an API key shows only that key. */
import { Code, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { keysQuery } from '../queries/keys.ts'
import { useSession } from '../session/use-session.ts'

/** The name, or the id of a key without a name. */
export const nameOf = ({ id, apiKeyName }: { id: string; apiKeyName: string }): string => apiKeyName || id

/** Appends words to a name in plain text. Isolation marks keep their order, whatever characters the name has. */
export const withWords = (name: string, words: string): string => (words === '' ? name : `\u2068${name}\u2069${words}`)

export function KeySwitcher({ apiKey }: { apiKey: string | undefined }) {
  const { workspaceId } = useSession()
  const navigate = useNavigate()
  const { data: keys = [] } = useQuery({ ...keysQuery, enabled: workspaceId !== undefined })
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
      w={{ base: '100%', sm: 280 }}
      styles={{ input: { textOverflow: 'ellipsis' } }}
      value={apiKey ?? null}
      data={keys.map((key) => ({
        value: key.id,
        label: withWords(
          nameOf(key),
          `${key.type === 'production' ? ' (production)' : ''}${key.disabled ? ', disabled' : ''}`,
        ),
      }))}
      onChange={(id) => {
        if (id !== null) void navigate({ to: '/keys/$apiKey', params: { apiKey: id } })
      }}
    />
  )
}
