/**
 * Serves metrics to Prometheus. Access is restricted because metrics reveal the load of the installation and its slow
 * parts.
 */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Authentication } from '#http/credentials/authenticate.ts'
import { bearerOf } from '#http/credentials/named-key.ts'
import { tokenHash } from '#platform/secrets/tokens.ts'
import { StatusError } from '#platform/status-error.ts'

export interface MetricsOptions {
  token: string | undefined
  contentType: string
  /** Returns the metrics of the home database or of a bucket; undefined: there is no such bucket. */
  textOf(bucket: string | undefined): Promise<string | undefined>
}

export function registerMetrics(
  app: FastifyInstance,
  { attempt }: Pick<Authentication, 'attempt'>,
  { token, contentType, textOf }: MetricsOptions,
) {
  const expected = tokenHash(token ?? '')
  async function check(request: FastifyRequest): Promise<true> {
    if (!timingSafeEqual(tokenHash(bearerOf(request) ?? ''), expected))
      throw new StatusError(
        'UNAUTHENTICATED',
        'metrics_token_wrong',
        "Metrics require the operator's METRICS_TOKEN as Authorization: Bearer; with the embedded engine, the token in operator.token in the server's data folder.",
      )
    return true
  }
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (token === undefined)
      throw new StatusError(
        'PERMISSION_DENIED',
        'metrics_closed',
        'Metrics are closed; the operator can open them with the setting METRICS_TOKEN.',
      )
    await attempt(request, () => check(request))
    const { bucket } = request.query as { bucket?: unknown }
    const text = await textOf(bucket === undefined ? undefined : String(bucket))
    if (text === undefined) throw new StatusError('NOT_FOUND', 'bucket_not_found', 'There is no bucket of this name.')
    return reply.header('cache-control', 'no-store').type(contentType).send(text)
  })
}
