/** The values of the endpoint form, and the calls that they lead to. */
import type {
  CreateWebhookEndpointData,
  UpdateWebhookEndpointData,
  WebhookEndpoint,
} from '#sdk/generated/operations.ts'
import { changesOf } from '../../components/forms/use-settings.ts'

interface EndpointValues {
  url: string
  description: string
  filterTypes: string[]
  channels: string[]
  rateLimit: number | string
  uid: string
  disabled: boolean
}

export const endpointValues = (endpoint: WebhookEndpoint | undefined): EndpointValues => ({
  url: endpoint?.url ?? '',
  description: endpoint?.description ?? '',
  filterTypes: endpoint?.filterTypes ?? [],
  channels: endpoint?.channels ?? [],
  rateLimit: endpoint?.rateLimit ?? '',
  uid: endpoint?.uid ?? '',
  disabled: endpoint?.disabled ?? false,
})

/** Null removes a value. */
const fieldsOf = ({ description, filterTypes, channels, rateLimit }: EndpointValues) => ({
  description: description === '' ? null : description,
  filterTypes: filterTypes.length === 0 ? null : filterTypes,
  channels: channels.length === 0 ? null : channels,
  rateLimit: rateLimit === '' ? null : Number(rateLimit),
})

/** Returns an update of the fields that differ, so that it does not change back what others change meanwhile. */
export function updateData(
  endpointId: string,
  before: EndpointValues,
  after: EndpointValues,
): UpdateWebhookEndpointData | undefined {
  const changes = changesOf({ url: before.url, ...fieldsOf(before) }, { url: after.url, ...fieldsOf(after) })
  return changes && { endpointId, ...changes }
}

export function createData(values: EndpointValues): CreateWebhookEndpointData {
  const { url, uid, disabled } = values
  const given = Object.entries({ ...fieldsOf(values), uid: uid === '' ? null : uid })
  return { url, disabled, ...Object.fromEntries(given.filter(([, value]) => value !== null)) }
}
