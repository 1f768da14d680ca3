/** The dialog that adds or edits a signed endpoint. */
import { NumberInput, Switch, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebhookEndpoint } from '#sdk/generated/operations.ts'
import { ListMany } from '../../components/combobox/list-picker.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { UrlField } from '../../components/forms/url-field.tsx'
import { RecordsPicker } from '../../components/search/records-picker.tsx'
import { EVENT_TYPES } from '../../generated/event-types.ts'
import { createWebhookEndpoint, updateWebhookEndpoint } from '../../queries/keys/webhooks.ts'
import { useKey } from '../../session/use-session.ts'
import { createData, endpointValues, updateData } from './endpoint-values.ts'

const RATE_MAX = 10_000
const CHANNELS_MAX = 100

const typeOption = (type: string) => ({ key: type, label: type, content: type })

interface EndpointFormProps {
  /** Absent for a new endpoint. */
  endpoint?: WebhookEndpoint
  onClose: () => void
}

export function EndpointForm({ endpoint, onClose }: EndpointFormProps) {
  const key = useKey()
  const navigate = useNavigate()
  const [before] = useState(() => endpointValues(endpoint))
  const [values, setValues] = useState(before)
  const [submitted, setSubmitted] = useState(false)
  const change = (fields: Partial<typeof values>) => setValues({ ...values, ...fields })
  const create = useMutation({
    ...createWebhookEndpoint(key),
    onSuccess: ({ id }) =>
      navigate({ to: '/keys/$apiKey/webhooks/$endpointId', params: { apiKey: key.id, endpointId: id } }),
  })
  const update = useMutation({
    ...updateWebhookEndpoint(key),
    onSuccess: () => {
      notifications.show({ message: 'The endpoint was changed.' })
      onClose()
    },
  })
  const { error, isPending } = endpoint === undefined ? create : update
  const isUrl = /^https?:\/\/\S+$/.test(values.url)
  function submit(): void {
    setSubmitted(true)
    if (!isUrl) return
    const changes = endpoint && updateData(endpoint.id, before, values)
    if (endpoint === undefined) create.mutate(createData(values))
    else if (changes === undefined) onClose()
    else update.mutate(changes)
  }
  return (
    <FormDialog
      needs={endpoint === undefined ? 'webhook-endpoints.create' : 'webhook-endpoints.update'}
      title={endpoint === undefined ? 'Add endpoint' : 'Edit endpoint'}
      size="lg"
      action={endpoint === undefined ? 'Add' : 'Save'}
      error={error}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <UrlField
        label="URL"
        description="Where to send the messages, without a user name or password. Addresses of this machine and of private networks are refused, unless the operator has allowed them."
        required
        data-autofocus
        value={values.url}
        error={submitted && !isUrl ? 'Enter an http or https URL.' : undefined}
        onChange={(url) => change({ url })}
      />
      <TextInput
        label="Description"
        description="What the endpoint is for."
        autoComplete="off"
        value={values.description}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <ListMany
        label="Events"
        description="Only events of these types. Leave empty for all."
        placeholder="all"
        nothing="No matching types"
        items={[...new Set([...EVENT_TYPES, ...values.filterTypes])].map(typeOption)}
        value={values.filterTypes}
        onChange={(filterTypes) => change({ filterTypes })}
      />
      <RecordsPicker
        label="Organizations"
        description="Only events of these organizations, by name or id. Leave empty for all events, including those outside organizations."
        placeholder="all"
        kind="organization"
        takesTyped
        disabled={values.channels.length >= CHANNELS_MAX}
        value={values.channels}
        onChange={(channels) => change({ channels })}
      />
      <NumberInput
        label="Rate limit"
        description="How many messages per second are sent on average. Leave empty for no limit."
        min={1}
        max={RATE_MAX}
        allowDecimal={false}
        hideControls
        value={values.rateLimit}
        onChange={(rateLimit) => change({ rateLimit })}
      />
      {endpoint === undefined && (
        <>
          <TextInput
            label="Your own id"
            description="Any id that is unique within the API key. Comparing two keys matches endpoints by it."
            autoComplete="off"
            value={values.uid}
            onChange={({ currentTarget }) => change({ uid: currentTarget.value })}
          />
          <Switch
            label="Start disabled"
            description="Nothing is sent until you enable it."
            checked={values.disabled}
            onChange={({ currentTarget }) => change({ disabled: currentTarget.checked })}
          />
        </>
      )}
    </FormDialog>
  )
}
