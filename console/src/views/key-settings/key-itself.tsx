/** What the workspace does with a key as a whole. */
import { Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { notifyFailure } from '../../components/failure.tsx'
import { Id } from '../../components/id.tsx'
import { Section } from '../../components/section.tsx'
import { disableApiKey, keysQuery } from '../../queries/keys.ts'
import { useKey } from '../../session/use-session.ts'
import { DeleteKey } from '../keys/delete-key.tsx'
import { RenameKey } from '../keys/rename-key.tsx'

export function KeyItself() {
  const { id } = useKey()
  const navigate = useNavigate()
  const [asked, ask] = useState<'rename' | 'delete'>()
  const { data: keys } = useQuery(keysQuery)
  const disable = useMutation({ ...disableApiKey, onError: notifyFailure })
  const key = keys?.find((one) => one.id === id)
  if (key === undefined) return null
  const { apiKeyName, type, disabled } = key
  const close = () => ask(undefined)
  return (
    <Section
      title="The key"
      intro={
        <>
          <bdi>{apiKeyName}</bdi>, {type}, {disabled ? 'disabled: every call with it is refused' : 'enabled'}. Its id is{' '}
          <Id>{id}</Id>
        </>
      }
    >
      <Group gap="xs">
        <Button variant="default" onClick={() => ask('rename')}>
          Rename
        </Button>
        <Button
          variant="default"
          loading={disable.isPending}
          onClick={() => disable.mutate({ apiKey: id, disabled: !disabled })}
        >
          {disabled ? 'Enable' : 'Disable'}
        </Button>
        <Button color="red" onClick={() => ask('delete')}>
          Delete
        </Button>
      </Group>
      {asked === 'rename' && <RenameKey apiKey={key} onClose={close} />}
      {asked === 'delete' && <DeleteKey apiKey={key} onDeleted={() => navigate({ to: '/keys' })} onClose={close} />}
    </Section>
  )
}
