/** Which API key the views are about. With the token of a workspace any of its keys; otherwise the one signed in with. */
import { Code, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { keysQuery } from '../queries/keys.ts'
import { useSession } from '../session/use-session.ts'

/** The name, or the key itself where it has none. */
export const nameOf = ({ id, apiKeyName }: { id: string; apiKeyName: string }): string => apiKeyName || id

/** A name with words behind it where there are no elements: whatever characters it has, the words stay behind it. */
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
      placeholder={keys.length === 0 ? 'No API keys yet' : 'Choose an API key'}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No key has this name"
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
