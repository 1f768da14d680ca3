/** The dialog that creates an auth token and shows its secret once. */
import { Alert } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { expiryOf } from '../../components/token-expiry.tsx'
import { createAuthToken } from '../../queries/keys.ts'
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
  const [fault, setFault] = useState<string>()
  const create = useMutation(createAuthToken)
  function submit(): void {
    const wrong = faultOfToken(values)
    setFault(wrong)
    if (wrong !== undefined) return
    const { name, scopes } = values
    create.mutate({ apiKey: key.id, name, scopes, ...expiryOf(values) })
  }
  if (create.data !== undefined)
    return (
      <SecretDialog
        title="Token created"
        label={`Auth token ${create.data.name}`}
        secret={create.data.token}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="Create token"
      action="Create"
      error={create.error}
      busy={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TokenFields values={values} onChange={setValues} />
      <div role="alert">{fault !== undefined && <Alert color="red">{fault}</Alert>}</div>
    </FormDialog>
  )
}
