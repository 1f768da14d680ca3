/** The dialog that creates an auth token and shows its secret once. */
import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CopySecret } from '../../components/copy-secret.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { createAuthToken } from '../../queries/keys.ts'
import { useKey } from '../../session/use-session.ts'
import { expiresAtOf, faultOf, TokenFields, type TokenValues } from './token-fields.tsx'

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
    const wrong = faultOf(values)
    setFault(wrong)
    if (wrong !== undefined) return
    const expiresAt = expiresAtOf(values)
    const { name, scopes } = values
    create.mutate({ apiKey: key.id, name, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) })
  }
  if (create.data !== undefined)
    return (
      <Modal opened onClose={onClose} closeOnClickOutside={false} title="Token created">
        <Stack gap="md">
          <CopySecret label={`Auth token ${create.data.name}`} secret={create.data.token} />
          <Group justify="end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
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
