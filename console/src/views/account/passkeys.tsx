/** The passkeys of the person who is signed in. */
import { Button, Group, Skeleton, Table, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { Section } from '../../components/page/section.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { addPasskey, passkeysQuery, removePasskey } from '../../queries/account/operators.ts'

export function Passkeys() {
  const { data, error } = useQuery(passkeysQuery)
  const [adding, setAdding] = useState(false)
  return (
    <Section
      title="Passkeys"
      intro="Sign in with this device or a security key instead of a link."
      actions={
        data?.isOffered && (
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        )
      }
    >
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Skeleton height={40} />}
      {data !== undefined && !data.isOffered && (
        <Text size="sm" c="dimmed">
          Browsers accept passkeys only where the server has a name: set PUBLIC_URL to such an address.
        </Text>
      )}
      {data?.isOffered && data.passkeys.length === 0 && (
        <Text size="sm" c="dimmed">
          No passkeys yet.
        </Text>
      )}
      {data !== undefined && data.passkeys.length > 0 && (
        <Table aria-label="Passkeys">
          <Table.Tbody>
            {data.passkeys.map(({ id, name, lastUsedAt }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <bdi>{name}</bdi>
                </Table.Td>
                <Table.Td>{lastUsedAt === undefined ? 'never used' : <Timestamp at={lastUsedAt} />}</Table.Td>
                <Table.Td>
                  <Group justify="end">
                    <RemovePasskey id={id} name={name} />
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {adding && <AddPasskey onClose={() => setAdding(false)} />}
    </Section>
  )
}

function RemovePasskey({ id, name }: { id: string; name: string }) {
  const remove = useMutation({ ...removePasskey, onError: notifyFailure })
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`Remove passkey ${name}`}
      loading={remove.isPending}
      onClick={() => remove.mutate(id)}
    >
      Remove
    </Button>
  )
}

function AddPasskey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const add = useMutation({ ...addPasskey, onSuccess: onClose })
  return (
    <FormDialog
      needs={undefined}
      title="Add passkey"
      action="Add"
      error={add.error}
      busy={add.isPending}
      disabled={name.trim() === ''}
      onSubmit={() => add.mutate(name.trim())}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="How you recognize the device, such as “laptop”."
        value={name}
        autoComplete="off"
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </FormDialog>
  )
}
