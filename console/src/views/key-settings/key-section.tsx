/** Shows an API key, with renaming, disabling and deleting. */
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { EnvironmentBadge } from '../../components/page/environment.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { type Fact, Facts } from '../../components/values/facts.tsx'
import { Id } from '../../components/values/id.tsx'
import { keyConfigQuery } from '../../queries/keys/key-settings.ts'
import { keysQuery } from '../../queries/keys/keys.ts'
import { isProduction } from '../../session/permission.ts'
import { useKey } from '../../session/use-session.ts'
import { DeleteKey } from '../keys/delete-key.tsx'
import { DisableKey, useDisableKey } from '../keys/disable-key.tsx'
import { RenameKey } from '../keys/rename-key.tsx'

export function KeySection() {
  const key = useKey()
  const navigate = useNavigate()
  const [dialog, openDialog] = useState<'rename' | 'disable' | 'delete'>()
  const { data: keys } = useQuery(keysQuery)
  const { data: config } = useQuery(keyConfigQuery(key))
  const { toggle, isPending } = useDisableKey()
  const summary = keys?.find(({ id }) => id === key.id)
  if (summary === undefined) return null
  const { id, apiKeyName } = summary
  const close = () => openDialog(undefined)
  const facts: Fact[] = [
    ['Name', <bdi key="name">{apiKeyName}</bdi>],
    ['API key', <Id key="id">{id}</Id>],
    ['Type', <EnvironmentBadge key="type" apiKey={id} />],
    [
      'Owner',
      config === undefined ? <Skeleton key="owner" height={16} w={160} /> : <bdi key="owner">{config.ownerEmail}</bdi>,
    ],
    [
      'Plan',
      config === undefined ? <Skeleton key="plan" height={16} w={160} /> : <bdi key="plan">{config.planInfo.type}</bdi>,
    ],
  ]
  return (
    <Section
      title="API key"
      intro="Type, owner and plan cannot be changed. The plan is a note without effect."
      actions={
        <>
          <PermittedButton needs="api-keys.update" variant="default" onClick={() => openDialog('rename')}>
            Rename
          </PermittedButton>
          <PermittedButton
            needs="api-keys.disable"
            variant="default"
            loading={isPending}
            onClick={() => (isProduction(id) ? openDialog('disable') : toggle(summary))}
          >
            {isProduction(id) ? 'Disable…' : 'Disable'}
          </PermittedButton>
          <PermittedButton needs="api-keys.delete" color="red" variant="outline" onClick={() => openDialog('delete')}>
            Delete
          </PermittedButton>
        </>
      }
    >
      <Facts label="API key" facts={facts} />
      {dialog === 'rename' && <RenameKey apiKey={summary} onClose={close} />}
      {dialog === 'disable' && (
        <DisableKey
          apiKey={summary}
          onConfirm={() => {
            toggle(summary)
            close()
          }}
          onClose={close}
        />
      )}
      {dialog === 'delete' && (
        <DeleteKey apiKey={summary} onDeleted={() => navigate({ to: '/keys' })} onClose={close} />
      )}
    </Section>
  )
}
