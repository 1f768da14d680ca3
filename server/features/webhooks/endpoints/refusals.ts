/** The refusals of creating signed webhook endpoints. */
import { LIMITS } from '#contract/core/limits.ts'
import { StatusError } from '#platform/status-error.ts'

export const uidTaken = () =>
  new StatusError('ALREADY_EXISTS', 'webhook_endpoint_uid_taken', 'Another webhook endpoint has this uid.')

export const tooManyEndpoints = () =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_webhook_endpoints',
    `An API key can have at most ${LIMITS.webhookEndpointsPerKeyMax} webhook endpoints; delete one first.`,
  )
