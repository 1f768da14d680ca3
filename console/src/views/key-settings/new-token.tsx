/** The dialog that creates an auth token. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CreateToken } from '../../components/secrets/create-token.tsx'
import { expiryOf } from '../../components/secrets/token-expiry.tsx'
import { createAuthToken } from '../../queries/keys/keys.ts'
import { useKey } from '../../session/use-session.ts'
import { faultOfToken, TokenFields, type TokenValues } from './token-fields.tsx'

export function NewToken({ onClose }: { onClose: () => void }) {
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
