/** The dialog that creates a workspace token and shows its secret once. */
import { Alert } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { type Expiry, expiryOf, faultOf, TokenExpiry, TokenName } from '../../components/token-expiry.tsx'
import { createWorkspaceToken } from '../../queries/workspace-tokens.ts'

export function NewWorkspaceToken({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState<Expiry & { name: string }>({ name: '', ends: '90', endsAt: undefined })
  const [fault, setFault] = useState<string>()
  const create = useMutation(createWorkspaceToken)
  function submit(): void {
    const wrong = faultOf(values)
    setFault(wrong)
    if (wrong === undefined) create.mutate({ name: values.name, ...expiryOf(values) })
  }
  if (create.data !== undefined)
    return (
      <SecretDialog
        title="Token created"
        label={`Workspace token ${create.data.name}`}
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
      <TokenName name={values.name} onChange={(name) => setValues({ ...values, name })} />
      <TokenExpiry
        ends={values.ends}
        endsAt={values.endsAt}
        onChange={(expiry) => setValues({ ...values, ...expiry })}
      />
      <div role="alert">{fault !== undefined && <Alert color="red">{fault}</Alert>}</div>
    </FormDialog>
  )
}
