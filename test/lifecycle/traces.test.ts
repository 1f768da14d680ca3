/** Traces that a collector receives: OTLP in JSON over HTTP, from a server configured by the variables of OpenTelemetry. */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { type Receiver, startReceiver } from '#testing/stand-ins/receiver.ts'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  links?: { traceId: string; spanId: string }[]
}

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3]

const resourcesOf = ({ received }: Receiver) => received.flatMap(({ json }) => json.resourceSpans)
const spansOf = (collector: Receiver): Span[] =>
  resourcesOf(collector).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: Span[] }) => spans))

const attributesOf = (list: Span['attributes']) =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

/** Traces a server from its start to its end, and returns the spans that the collector received. */
async function traced(work: (server: Awaited<ReturnType<typeof startProcess>>) => Promise<void>, more: object = {}) {
  const collector = await startReceiver(() => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }))
  const { settings } = await createLastingStore()
  const OTEL_EXPORTER_OTLP_ENDPOINT = new URL('/otlp', collector.url).href
  const server = await startProcess({
    ...settings,
    OTEL_EXPORTER_OTLP_ENDPOINT,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...more,
  })
  await work(server)
  const { code, stdout } = await server.kill('SIGTERM')
  assert.equal(code, 0)
  collector.close()
  return {
    collector,
    spans: spansOf(collector),
    log: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
  }
}

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const resource = { type: 'document', id: 'd', organizationId: 'acme' } as const

describe('traces', () => {
  test('have a span for a request, in the trace of its caller, with its statements', async () => {
    const { collector, spans, log } = await traced(
      async ({ client }) => {
        const key = await client.newKey()
        await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
        const caller = key.with({ ...key.headers, traceparent: `00-${TRACE}-${PARENT}-01` })
        await caller.call(checkPermissions, { checks: [{ userId: 'u', resource }] })
      },
      { OTEL_SERVICE_NAME: 'authority', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' },
    )
    assert.ok(collector.received.every(({ path }) => path === '/otlp/v1/traces'))
    const ofResource = attributesOf(resourcesOf(collector)[0].resource.attributes)
    assert.equal(ofResource['service.name'], 'authority')
    assert.equal(ofResource['deployment.environment.name'], 'test')
    assert.match(String(ofResource['service.version']), /^\d+\.\d+\.\d+/)

    const mine = spans.filter(({ traceId }) => traceId === TRACE)
    const [request, ...more] = mine.filter(({ kind }) => kind === SERVER)
    assert.ok(request !== undefined && more.length === 0)
    assert.equal(request.name, `POST ${checkPermissions.path}`)
    assert.equal(request.parentSpanId, PARENT)
    const attributes = attributesOf(request.attributes)
    assert.equal(attributes['http.response.status_code'], 200)
    assert.equal(attributes['commonhold.operation'], checkPermissions.name)
    assert.ok(log.some((line) => line.traceId === TRACE && line.req?.id === attributes['commonhold.request_id']))

    const parts = (of: Span) => mine.filter(({ parentSpanId }) => parentSpanId === of.spanId)
    const batches = parts(request)
    assert.deepEqual(batches.map(({ name }) => name).sort(), ['batch auth-tokens.check', 'batch permissions.decide'])
    for (const batch of batches) {
      assert.equal(batch.kind, INTERNAL)
      const [statement, ...others] = parts(batch)
      assert.equal(others.length, 0)
      assert.ok(`batch ${statement?.name}`.startsWith(batch.name), `${batch.name} runs ${statement?.name}`)
      assert.equal(statement?.kind, CLIENT)
      assert.ok(BigInt(statement.startTimeUnixNano) >= BigInt(batch.startTimeUnixNano) - 1_000_000n)
      assert.ok(BigInt(statement.endTimeUnixNano) <= BigInt(batch.endTimeUnixNano) + 1_000_000n)
    }
    const [added] = spans.filter(({ name }) => name === `POST ${addOrganizations.path}`)
    assert.ok(added !== undefined)
    const inIt = spans
      .filter(({ traceId, kind }) => traceId === added.traceId && kind === CLIENT)
      .map(({ name }) => name)
    for (const name of ['organizations.lock', 'organizations.add']) assert.ok(inIt.includes(name), `${name} of ${inIt}`)
  })

  test('have a separate trace for a shared statement, linked to each of its requests', async () => {
    const { spans } = await traced(async ({ client }) => {
      const key = await client.newKey()
      await key.call(addPermissions, { user: { userId: 'u' }, permissions: { resources: [resource] } })
      const checks = Array.from({ length: 50 }, () =>
        key.call(checkPermissions, { checks: [{ userId: 'u', resource }] }),
      )
      await Promise.all(checks)
    })
    const requests = spans.filter(({ name }) => name === `POST ${checkPermissions.path}`)
    assert.equal(new Set(requests.map(({ traceId }) => traceId)).size, 50)
    const batches = spans.filter(({ name }) => name === 'batch permissions.decide')
    const shared = batches.filter(({ links = [] }) => links.length > 1)
    assert.ok(shared.length > 0, 'nothing was joined')
    for (const { parentSpanId, traceId } of shared) {
      assert.ok(!parentSpanId)
      assert.ok(!requests.some((request) => request.traceId === traceId))
    }
    const reached = batches.flatMap(({ links = [], traceId, parentSpanId = '' }) =>
      links.length > 0
        ? links.map((link) => link.spanId)
        : requests.filter((one) => one.traceId === traceId && one.spanId === parentSpanId).map((one) => one.spanId),
    )
    assert.deepEqual(reached.sort(), requests.map(({ spanId }) => spanId).sort())
  })

  test('continue at the receiver of a webhook', async () => {
    const receiver = await startReceiver()
    const { spans } = await traced(async ({ client }) => {
      const key = await client.newKey()
      await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
      await key.call(createWebhookEndpoint, { url: receiver.url, filterTypes: ['organization.added'] })
      await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
      await receiver.until(1)
    })
    receiver.close()
    const [, traceId, spanId] =
      /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(receiver.received[0]?.headers.traceparent)) ?? []
    const [attempt] = spans.filter((span) => span.spanId === spanId)
    assert.ok(attempt !== undefined && attempt.traceId === traceId && attempt.kind === CLIENT)
    assert.equal(attributesOf(attempt.attributes)['http.response.status_code'], 204)
    assert.equal(attributesOf(attempt.attributes)['server.address'], new URL(receiver.url).host)
  })

  test('follow the sampler, and the decision of the caller', async () => {
    const { spans } = await traced(
      async ({ client, url }) => {
        await client.newKey()
        await fetch(`${url}/v2/nobody/knows`, { method: 'POST', headers: { traceparent: `00-${TRACE}-${PARENT}-01` } })
        await fetch(`${url}/healthz`, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } })
      },
      { OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
    )
    assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)), new Set([TRACE]))
    assert.deepEqual(
      spans.filter(({ kind }) => kind === SERVER).map(({ name }) => name),
      ['POST'],
    )
  })

  test('that cannot be exported cause a line in the log, and fail no request', async () => {
    const { settings } = await createLastingStore()
    const nowhere = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_TIMEOUT: '500' }
    const server = await startProcess({ ...settings, ...nowhere })
    await server.client.newKey()
    const { code, stdout } = await server.kill('SIGTERM')
    assert.equal(code, 0) // a server that waits for the export would end itself with another code
    assert.match(stdout, /"msg":"traces: /)
  })
})
