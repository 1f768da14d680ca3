/** A table of tokens, of a key or of the workspace: name, scopes, origin, last use, expiry and actions. */
import { Badge, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import type { AuthToken, ListedAuthToken, WorkspaceToken } from '#sdk/generated/operations.ts'
import type { Needs } from '../../session/permission.ts'
import { PermittedButton } from '../permitted/permitted-button.tsx'
import { Id } from '../values/id.tsx'
import { Timestamp } from '../values/timestamp.tsx'

type Token = ListedAuthToken | WorkspaceToken

interface TokenTableProps<T extends Token> {
  label: string
  tokens: readonly T[]
  /** The buttons of each token, by their label. */
  actions: Record<string, { needs: Needs; act: (token: T) => void }>
}

const scopesOf = (token: Token): readonly string[] => ('scopes' in token ? token.scopes : [])

export function TokenTable<T extends Token>({ label, tokens, actions }: TokenTableProps<T>) {
  const hasScopes = tokens.some((token) => 'scopes' in token)
  return (
    <Table layout="fixed" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          {hasScopes && (
            <Table.Th w={200} visibleFrom="xl">
              Scopes
            </Table.Th>
          )}
          <Table.Th w={180} visibleFrom="lg">
            Created
          </Table.Th>
          <Table.Th w={150} visibleFrom="md">
            Last used
          </Table.Th>
          <Table.Th w={{ base: 100, md: 130 }}>Expires</Table.Th>
          <Table.Th w={{ base: 100, sm: 100 * Object.keys(actions).length }}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tokens.map((token) => (
          <Table.Tr key={token.id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <TokenName token={token} />
            </Table.Td>
            {hasScopes && (
              <Table.Td visibleFrom="xl">
                <Group gap={4} wrap="nowrap">
                  {scopesOf(token).map((scope) => (
                    <Badge key={scope} variant="default" tt="none">
                      {scope}
                    </Badge>
                  ))}
                </Group>
              </Table.Td>
            )}
            <Table.Td visibleFrom="lg">
              <Timestamp at={token.createdAt} />
              <Text size="xs" c="dimmed" component="div">
                <TokenOrigin origin={token.origin} />
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="md">
              {token.lastUsedAt === undefined ? 'never' : <Timestamp at={token.lastUsedAt} />}
            </Table.Td>
            <Table.Td>
              {token.expiresAt === undefined ? 'never' : <Timestamp at={token.expiresAt * 1000} ahead />}
            </Table.Td>
            <Table.Td>
              <Group gap="xs" justify="end">
                {Object.entries(actions).map(([action, { needs, act }]) => (
                  <PermittedButton
                    key={action}
                    needs={needs}
                    size="xs"
                    variant="default"
                    aria-label={`${action} ${token.name}`}
                    onClick={() => act(token)}
                  >
                    {action}
                  </PermittedButton>
                ))}
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** The name with the beginning of the secret, and on narrow screens the scopes and the last use. */
function TokenName({ token }: { token: Token }) {
  const scopes = scopesOf(token)
  return (
    <>
      <Group gap="xs">
        <bdi>{token.name}</bdi>
        {'current' in token && token.current && (
          <Badge variant="default" tt="none">
            this session
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        <Id copy={false}>{`${token.prefix}…`}</Id>
      </Text>
      {scopes.length > 0 && (
        <Text size="xs" c="dimmed" hiddenFrom="xl">
          {scopes.join(', ')}
        </Text>
      )}
      <Text size="xs" c="dimmed" component="div" hiddenFrom="md">
        {token.lastUsedAt === undefined ? (
          'never used'
        ) : (
          <>
            used <Timestamp at={token.lastUsedAt} />
          </>
        )}
      </Text>
    </>
  )
}

type Origin = NonNullable<AuthToken['origin']>

const WAYS: Record<Origin['how'], string> = {
  created: '',
  replaced_others: 'replacing all tokens',
  with_api_key: 'with the API key',
  with_workspace: 'with the workspace',
}

/** Returns `by Ada`, `with the API key, by the workspace token “deployment”`. Absent: the token is older than the record. */
function TokenOrigin({ origin }: { origin: Origin | undefined }) {
  if (origin === undefined) return 'not recorded'
  const { how, operator, workspaceToken } = origin
  const way = WAYS[how]
  const by = operator?.name ?? workspaceToken
  if (by === undefined) return way
  return (
    <>
      {way === '' ? 'by ' : `${way}, by `}
      {operator === undefined ? (
        <>
          the workspace token “<bdi>{by}</bdi>”
        </>
      ) : (
        <bdi>{by}</bdi>
      )}
    </>
  )
}
