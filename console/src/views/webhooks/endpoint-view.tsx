/** An endpoint: its health, its settings, its secret and its log. */
import { Skeleton, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebhookEndpoint } from '#sdk/generated/operations.ts'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { ConfirmByName } from '../../components/forms/confirm-by-name.tsx'
import { Page } from '../../components/page/page.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { type Fact, Facts } from '../../components/values/facts.tsx'
import { Id } from '../../components/values/id.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink, ButtonLink } from '../../links/links.tsx'
import {
  deleteWebhookEndpoint,
  updateWebhookEndpoint,
  webhookConfigQuery,
  webhookEndpointsQuery,
} from '../../queries/keys/webhooks.ts'
import { deletionOf } from '../../queries/pages/deletion.ts'
import { useKey } from '../../session/use-session.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { Attempts } from './attempts.tsx'
import { BASIC, BasicUrlSection, basicUrl, isBasic, NoBasicUrl } from './basic-urls.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointHealth } from './endpoint-health.tsx'
import { EndpointSecret } from './endpoint-secret.tsx'

export function EndpointView() {
  const key = useKey()
  const { endpointId = '' } = useParams({ strict: false })
  const { data: endpoints, error } = useQuery({ ...webhookEndpointsQuery(key), enabled: !isBasic(endpointId) })
  const endpoint = endpoints?.find(({ id }) => id === endpointId)
  const crumbs = [
    <AnchorLink
      key="webhooks"
      to="/keys/$apiKey/webhooks"
      params={{ apiKey: key.id }}
      size="sm"
      activeOptions={{ exact: true }}
    >
      Webhooks
    </AnchorLink>,
  ]
  if (isBasic(endpointId))
    return (
      <Page title={BASIC[endpointId] ?? endpointId} crumbs={crumbs}>
        <BasicEndpoint endpointId={endpointId} />
      </Page>
    )
  if (endpoints !== undefined && endpoint === undefined)
    return (
      <NotFound
        action={
          <ButtonLink to="/keys/$apiKey/webhooks" params={{ apiKey: key.id }} variant="default">
            Webhooks
          </ButtonLink>
        }
      >
        This endpoint does not exist. It may have been deleted.
      </NotFound>
    )
  if (error !== null && endpoint === undefined) return <Failure error={error} />
  return (
    <Page title={endpoint?.url ?? 'Endpoint'} crumbs={crumbs}>
      {endpoint === undefined ? (
        <Skeleton height={240} />
      ) : (
        <Stack gap="md">
          <EndpointHealth endpointId={endpoint.id} />
          <Attempts endpointId={endpointId} />
          <EndpointSection endpoint={endpoint} />
          <EndpointSecret endpointId={endpoint.id} />
        </Stack>
      )}
    </Page>
  )
}

function BasicEndpoint({ endpointId }: { endpointId: string }) {
  const { data: config, error } = useQuery(webhookConfigQuery(useKey()))
  if (error !== null && config === undefined) return <Failure error={error} />
  if (config === undefined) return <Skeleton height={240} />
  if (basicUrl(config, endpointId) === '') return <NoBasicUrl />
  return (
    <>
      <EndpointHealth endpointId={endpointId} />
      <Attempts endpointId={endpointId} />
      <BasicUrlSection config={config} endpointId={endpointId} />
    </>
  )
}

function EndpointSection({ endpoint }: { endpoint: WebhookEndpoint }) {
  const key = useKey()
  const navigate = useNavigate()
  const [dialog, openDialog] = useState<'change' | 'delete'>()
  const { id, url, disabled } = endpoint
  const back = useMutation(updateWebhookEndpoint(key))
  const update = useMutation({
    ...updateWebhookEndpoint(key),
    onError: notifyFailure,
    onSuccess: ({ disabled }) =>
      notifyWithUndo(disabled ? 'The endpoint was disabled: nothing is sent to it.' : 'The endpoint was enabled.', () =>
        back.mutateAsync({ endpointId: id, disabled: !disabled }),
      ),
  })
  const remove = useMutation({
    ...deleteWebhookEndpoint(key),
    onSuccess: (deletion) => {
      notifications.show({ message: deletionOf('The endpoint', deletion), role: 'status' })
      void navigate({ to: '/keys/$apiKey/webhooks', params: { apiKey: key.id } })
    },
  })
  return (
    <Section
      title="Endpoint"
      actions={
        <>
          <PermittedButton needs="webhook-endpoints.update" variant="default" onClick={() => openDialog('change')}>
            Edit
          </PermittedButton>
          <PermittedButton
            needs="webhook-endpoints.update"
            variant="default"
            loading={update.isPending}
            onClick={() => update.mutate({ endpointId: id, disabled: !disabled })}
          >
            {disabled ? 'Enable' : 'Disable'}
          </PermittedButton>
          <PermittedButton
            needs="webhook-endpoints.delete"
            color="red"
            variant="outline"
            onClick={() => openDialog('delete')}
          >
            Delete
          </PermittedButton>
        </>
      }
    >
      <EndpointFacts endpoint={endpoint} />
      {dialog === 'change' && <EndpointForm endpoint={endpoint} onClose={() => openDialog(undefined)} />}
      {dialog === 'delete' && (
        <ConfirmByName
          needs="webhook-endpoints.delete"
          title="Delete endpoint"
          name={url}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(id)}
          onClose={() => openDialog(undefined)}
        >
          Messages are no longer sent to it. Its log and its secret are deleted. This cannot be undone.
        </ConfirmByName>
      )}
    </Section>
  )
}

function EndpointFacts({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, uid, description, filterTypes, channels, rateLimit, createdAt, updatedAt } = endpoint
  const facts: Fact[] = [
    ...(description === null ? [] : [['Description', <bdi key="description">{description}</bdi>] as const]),
    ['Events', filterTypes?.join(', ') ?? 'all'],
    ['Organizations', channels === null ? 'all' : <bdi key="channels">{channels.join(', ')}</bdi>],
    ['Rate limit', rateLimit === null ? 'no limit' : `${rateLimit.toLocaleString('en')} messages per second`],
    ['Id', <Id key="id">{id}</Id>],
    ...(uid === null ? [] : [['Your own id', <Id key="uid">{uid}</Id>] as const]),
    ['Added', <Timestamp key="added" at={Date.parse(createdAt)} date />],
    ['Changed', <Timestamp key="changed" at={Date.parse(updatedAt)} date />],
  ]
  return <Facts label="Endpoint" facts={facts} />
}
