/** Records a span for each request. Registered only if traces are recorded, before the hooks that do work. */
import type { FastifyInstance } from 'fastify'
import { STATUS } from '#contract/core/status.ts'
import type { Tracing } from '#platform/tracing.ts'
import { operationOf } from './request-context.ts'

export function registerTracing(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url
    const attributes = {
      'http.request.method': request.method,
      'url.scheme': request.protocol,
      'url.path': request.url.split('?', 1)[0] ?? '',
      'commonhold.operation': operationOf(request),
      'commonhold.request_id': request.id,
      ...(route === undefined ? {} : { 'http.route': route }),
    }
    const name = route === undefined ? request.method : `${request.method} ${route}`
    const span = tracing.begin(name, { kind: 'server', attributes, parent: request.headers })
    request.context.span = span
    request.log = request.log.child({ traceId: span.traceId })
    span.run(done)
  })
  // The body is read in events of the connection, which do not carry the async context of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const { span } = request.context
    if (span === undefined) done()
    else span.run(done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const { span } = request.context
    span?.set({ 'http.response.status_code': statusCode })
    if (statusCode >= STATUS.INTERNAL.http) span?.fail(String(statusCode))
    span?.end()
    done()
  })
}
