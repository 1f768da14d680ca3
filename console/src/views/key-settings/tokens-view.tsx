/** The auth tokens of an API key: scopes, origin, last use and expiry, with creating, rotating, replacing and revoking. */
import { Skeleton, Text } from '@mantine/core'
import { IconPlus, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedAuthToken } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Section } from '../../components/page/section.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { CreateToken } from '../../components/secrets/create-token.tsx'
import { ReplaceTokens } from '../../components/secrets/replace-tokens.tsx'
import { RevokeToken } from '../../components/secrets/revoke-token.tsx'
import { expiryOf } from '../../components/secrets/token-expiry.tsx'
import { TokenTable } from '../../components/secrets/token-table.tsx'
import { authTokensQuery, createAuthToken, resetAuthTokens, revokeAuthToken } from '../../queries/keys/keys.ts'
import { useKey } from '../../session/use-session.ts'
import { RotateToken } from './rotate-token.tsx'
import { faultOfToken, TokenFields, type TokenValues } from './token-fields.tsx'

type OpenDialog = { what: 'new' } | { what: 'replace' } | { what: 'rotate' | 'revoke'; token: ListedAuthToken }

/** Rotating creates a token, then revokes the old one. */
const ROTATES = ['auth-tokens.create', 'auth-tokens.revoke'] as const

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
          <PermittedButton
            needs="auth-tokens.reset"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => openDialog({ what: 'replace' })}
          >
            Replace all
          </PermittedButton>
          <PermittedButton
            needs="auth-tokens.create"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => openDialog({ what: 'new' })}
          >
            Create token
          </PermittedButton>
        </>
      }
    >
      {error !== null && <Failure error={error} />}
      {tokens === undefined && error === null && <Skeleton height={120} />}
      {tokens?.length === 0 && (
        <Text size="sm" c="dimmed">
          No valid tokens: every call with this key is refused. Create a token and give it to your back end.
        </Text>
      )}
      {tokens !== undefined && tokens.length > 0 && (
        <TokenTable
          label="Auth tokens"
          tokens={tokens}
          actions={{
            Rotate: { needs: ROTATES, act: (token) => openDialog({ what: 'rotate', token }) },
            Revoke: { needs: 'auth-tokens.revoke', act: (token) => openDialog({ what: 'revoke', token }) },
          }}
        />
      )}
      {dialog?.what === 'new' && <NewToken onClose={close} />}
      {dialog?.what === 'replace' && <ReplaceKeyTokens count={tokens?.length ?? 0} onClose={close} />}
      {dialog?.what === 'rotate' && <RotateToken token={dialog.token} onClose={close} />}
      {dialog?.what === 'revoke' && (
        <RevokeToken
          needs="auth-tokens.revoke"
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

/** The dialog that creates an auth token. */
function NewToken({ onClose }: { onClose: () => void }) {
  const key = useKey()
  const [values, setValues] = useState<TokenValues>({
    name: '',
    scopes: ['read', 'write'],
    ends: '90',
    endsAt: undefined,
  })
  const { name, scopes } = values
  return (
    <CreateToken
      needs="auth-tokens.create"
      kind="Auth token"
      create={useMutation(createAuthToken)}
      data={() => faultOfToken(values) ?? { apiKey: key.id, name, scopes, ...expiryOf(values) }}
      onClose={onClose}
    >
      <TokenFields values={values} onChange={setValues} />
    </CreateToken>
  )
}

/** The dialog that replaces all auth tokens of a key by a new one. */
function ReplaceKeyTokens({ count, onClose }: { count: number; onClose: () => void }) {
  const reset = useMutation(resetAuthTokens(useKey()))
  return (
    <ReplaceTokens
      needs="auth-tokens.reset"
      label="New auth token"
      created="A new token with all scopes"
      count={count}
      reset={reset}
      onClose={onClose}
    />
  )
}
