/** The dialog that creates a workspace token. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CreateToken } from '../../components/secrets/create-token.tsx'
import { type Expiry, expiryOf, faultOf, TokenExpiry, TokenName } from '../../components/secrets/token-expiry.tsx'
import { createWorkspaceToken } from '../../queries/account/workspace-tokens.ts'

export function NewWorkspaceToken({ onClose }: { onClose: () => void }) {
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
