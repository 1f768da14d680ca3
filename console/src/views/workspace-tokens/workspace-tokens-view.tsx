/** The tokens of the workspace: name, origin, last use and expiry, with creating, replacing and revoking. */
import { Skeleton } from '@mantine/core'
import { IconPlus, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WorkspaceToken } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { CreateToken } from '../../components/secrets/create-token.tsx'
import { ReplaceTokens } from '../../components/secrets/replace-tokens.tsx'
import { RevokeToken } from '../../components/secrets/revoke-token.tsx'
import { type Expiry, expiryOf, faultOf, TokenExpiry, TokenName } from '../../components/secrets/token-expiry.tsx'
import { TokenTable } from '../../components/secrets/token-table.tsx'
import {
  createWorkspaceToken,
  replaceWorkspaceTokens,
  revokeWorkspaceToken,
  workspaceTokensQuery,
} from '../../queries/account/workspace-tokens.ts'
import { useSession } from '../../session/use-session.ts'

type OpenDialog = 'new' | 'replace' | { revoked: WorkspaceToken }

export function WorkspaceTokensView() {
  const [dialog, openDialog] = useState<OpenDialog>()
  return (
    <Page
      title="Workspace tokens"
      intro="A workspace token has full access to the workspace: it can create API keys, read their auth tokens, and create or revoke workspace tokens. Give each person and program a separate token, so that you can revoke each one separately."
      actions={
        <>
          <PermittedButton
            needs="workspace-tokens.reset"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => openDialog('replace')}
          >
            Replace all
          </PermittedButton>
          <PermittedButton
            needs="workspace-tokens.create"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => openDialog('new')}
          >
            Create token
          </PermittedButton>
        </>
      }
    >
      <WorkspaceOnly>
        <Tokens dialog={dialog} openDialog={openDialog} />
      </WorkspaceOnly>
    </Page>
  )
}

interface TokensProps {
  dialog: OpenDialog | undefined
  openDialog: (dialog: OpenDialog | undefined) => void
}

function Tokens({ dialog, openDialog }: TokensProps) {
  const { data: tokens, error } = useQuery(workspaceTokensQuery)
  const close = () => openDialog(undefined)
  return (
    <>
      {error !== null && <Failure error={error} />}
      {tokens === undefined ? (
        error === null && <Skeleton height={120} />
      ) : (
        <TokenTable
          label="Workspace tokens"
          tokens={tokens}
          actions={{ Revoke: { needs: 'workspace-tokens.revoke', act: (revoked) => openDialog({ revoked }) } }}
        />
      )}
      {dialog === 'new' && <NewWorkspaceToken onClose={close} />}
      {dialog === 'replace' && <ReplaceWorkspaceTokens count={tokens?.length ?? 0} onClose={close} />}
      {typeof dialog === 'object' && (
        <RevokeToken
          needs="workspace-tokens.revoke"
          name={dialog.revoked.name}
          revoke={revokeWorkspaceToken}
          data={{ tokenId: dialog.revoked.id }}
          onClose={close}
        >
          Calls with this token are refused immediately, and its console sessions end
          {dialog.revoked.current ? ', including this one' : ''}. This cannot be undone.
        </RevokeToken>
      )}
    </>
  )
}

/** The dialog that replaces all tokens of the workspace by a new one. */
function ReplaceWorkspaceTokens({ count, onClose }: { count: number; onClose: () => void }) {
  const reset = useMutation(replaceWorkspaceTokens(useSession()))
  return (
    <ReplaceTokens
      needs="workspace-tokens.reset"
      label="New workspace token"
      created="A new token"
      count={count}
      reset={reset}
      onClose={onClose}
    />
  )
}

/** The dialog that creates a workspace token. */
function NewWorkspaceToken({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState<Expiry & { name: string }>({ name: '', ends: '90', endsAt: undefined })
  const { name, ends, endsAt } = values
  return (
    <CreateToken
      needs="workspace-tokens.create"
      kind="Workspace token"
      create={useMutation(createWorkspaceToken)}
      data={() => faultOf(values) ?? { name, ...expiryOf(values) }}
      onClose={onClose}
    >
      <TokenName name={name} onChange={(name) => setValues({ ...values, name })} />
      <TokenExpiry ends={ends} endsAt={endsAt} onChange={(expiry) => setValues({ ...values, ...expiry })} />
    </CreateToken>
  )
}
