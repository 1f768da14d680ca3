/** Serves metrics to Prometheus. Access is restricted because they show how much the installation is used and where it is slow. */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Authentication, bearerOf } from '#http/authenticate.ts'
import { StatusError } from '#platform/status-error.ts'
import { tokenHash } from '#platform/tokens.ts'

export interface MetricsOptions {
  access: 'token' | 'closed' | 'local'
  token: string | undefined
  anonymous: Authentication['anonymous']
  contentType: string
  text(): Promise<string>
}

export function registerMetrics(app: FastifyInstance, { access, token, anonymous, contentType, text }: MetricsOptions) {
  const expected = tokenHash(token ?? '')
  function admit(request: FastifyRequest): void {
    if (access === 'token') {
      if (timingSafeEqual(tokenHash(bearerOf(request) ?? ''), expected)) return
      throw new StatusError(
        'UNAUTHENTICATED',
        'metrics_token_wrong',
        "Metrics require the operator's METRICS_TOKEN as Authorization: Bearer.",
      )
    }
    if (access === 'local' && anonymous(request).local) return
    throw new StatusError(
      'PERMISSION_DENIED',
      'metrics_closed',
      'Metrics are closed; the operator can open them with the setting METRICS_TOKEN.',
    )
  }
  app.get('/metrics', { schema: { hide: true }, logLevel: 'warn' }, async (request, reply) => {
    admit(request)
    return reply
      .header('cache-control', 'no-store')
      .type(contentType)
      .send(await text())
  })
}
