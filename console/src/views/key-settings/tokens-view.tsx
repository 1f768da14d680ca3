/** The auth tokens of an API key: scopes, origin, last use and expiry, with creating, rotating, replacing and revoking. */
import { Badge, Button, Group, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconPlus, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedAuthToken } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Section } from '../../components/page/section.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { RevokeToken } from '../../components/secrets/revoke-token.tsx'
import { TokenOrigin } from '../../components/secrets/token-origin.tsx'
import { Id } from '../../components/values/id.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { authTokensQuery, revokeAuthToken } from '../../queries/keys/keys.ts'
import { useKey } from '../../session/use-session.ts'
import { NewToken } from './new-token.tsx'
import { ReplaceKeyTokens } from './replace-key-tokens.tsx'
import { RotateToken } from './rotate-token.tsx'

type OpenDialog = { what: 'new' } | { what: 'replace' } | { what: 'rotate' | 'revoke'; token: ListedAuthToken }

export function TokensView() {
  return (
    <WorkspaceOnly>
      <Tokens />
    </WorkspaceOnly>
  )
}

function Tokens() {
  const key = useKey()
  const { data: tokens, error } = useQuery(authTokensQuery(key))
  const [dialog, openDialog] = useState<OpenDialog>()
  const close = () => openDialog(undefined)
  return (
    <Section
      title="Auth tokens"
      intro="The secrets that your back end sends along with the API key. Give each program its own token, so that you can revoke it separately."
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => openDialog({ what: 'replace' })}
          >
            Replace all
          </Button>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => openDialog({ what: 'new' })}>
            Create token
          </Button>
        </>
      }
    >
      {error !== null && <Failure error={error} />}
      {tokens === undefined ? (
        error === null && <Skeleton height={120} />
      ) : (
        <TokenTable tokens={tokens} openDialog={openDialog} />
      )}
      {dialog?.what === 'new' && <NewToken onClose={close} />}
      {dialog?.what === 'replace' && <ReplaceKeyTokens count={tokens?.length ?? 0} onClose={close} />}
      {dialog?.what === 'rotate' && <RotateToken token={dialog.token} onClose={close} />}
      {dialog?.what === 'revoke' && (
        <RevokeToken
          name={dialog.token.name}
          revoke={revokeAuthToken}
          data={{ apiKey: key.id, authTokenId: dialog.token.id }}
          onClose={close}
        >
          Calls with this token are refused immediately. This cannot be undone. If a program still uses it, rotate the
          token instead.
        </RevokeToken>
      )}
    </Section>
  )
}

function TokenTable({
  tokens,
  openDialog,
}: {
  tokens: readonly ListedAuthToken[]
  openDialog: (dialog: OpenDialog) => void
}) {
  if (tokens.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No valid tokens: every call with this key is refused. Create a token and give it to your back end.
      </Text>
    )
  return (
    <Table layout="fixed" aria-label="Auth tokens">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th w={180} visibleFrom="lg">
            Scopes
          </Table.Th>
          <Table.Th w={170} visibleFrom="lg">
            Created
          </Table.Th>
          <Table.Th w={120} visibleFrom="md">
            Last used
          </Table.Th>
          <Table.Th w={100}>Expires</Table.Th>
          <Table.Th w={{ base: 100, sm: 190 }}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tokens.map((token) => (
          <Table.Tr key={token.id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <bdi>{token.name}</bdi>
              <Text size="xs" c="dimmed" component="div">
                <Id copy={false}>{`${token.prefix}…`}</Id>
              </Text>
              <Text size="xs" c="dimmed" hiddenFrom="lg">
                {token.scopes.join(', ')}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="lg">
              <Group gap={4}>
                {token.scopes.map((scope) => (
                  <Badge key={scope} variant="default" tt="none">
                    {scope}
                  </Badge>
                ))}
              </Group>
            </Table.Td>
            <Table.Td visibleFrom="lg">
              <Timestamp at={token.createdAt} />
              <Text size="xs" c="dimmed" component="div">
                <TokenOrigin origin={token.origin} />
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="md">
              {token.lastUsedAt === undefined ? 'never' : <Timestamp at={token.lastUsedAt} />}
            </Table.Td>
            <Table.Td>{token.expiresAt === undefined ? 'never' : <Timestamp at={token.expiresAt * 1000} />}</Table.Td>
            <Table.Td>
              <Group gap="xs" justify="end">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Rotate ${token.name}`}
                  onClick={() => openDialog({ what: 'rotate', token })}
                >
                  Rotate
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Revoke ${token.name}`}
                  onClick={() => openDialog({ what: 'revoke', token })}
                >
                  Revoke
                </Button>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
