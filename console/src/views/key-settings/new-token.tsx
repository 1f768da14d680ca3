/** Makes an auth token, and shows its secret once. */
import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CopySecret } from '../../components/copy-secret.tsx'
import { Failure } from '../../components/failure.tsx'
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
  function submit(event: FormEvent): void {
    event.preventDefault()
    const wrong = faultOf(values)
    setFault(wrong)
    if (wrong !== undefined) return
    const expiresAt = expiresAtOf(values)
    const { name, scopes } = values
    create.mutate({ apiKey: key.id, name, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) })
  }
  if (create.data !== undefined)
    return (
      <Modal opened onClose={onClose} title="The token is made" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Stack gap="md">
          <CopySecret label={`Auth token ${create.data.name}`} secret={create.data.token} />
          <Group justify="end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    )
  return (
    <Modal opened onClose={onClose} title="Create a token" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TokenFields values={values} onChange={setValues} />
          <div role="alert">{fault !== undefined && <Alert color="red">{fault}</Alert>}</div>
          {create.error !== null && <Failure error={create.error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
