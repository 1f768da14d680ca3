/**
 * The metrics: every operation, statement, queue and delivery, in the text format of Prometheus, without any label that
 * a caller chooses.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { parse } from 'yaml'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint, deleteWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { COUNT_WAITING } from '#features/mail/statements.ts'
import { COUNT_DUE } from '#features/webhooks/delivery/delivery-statements.ts'
import { COUNT_BEHIND } from '#tenancy/events/feed-statements.ts'
import { eventually } from '#testing/eventually.ts'
import { lintMetrics, parseMetrics, total } from '#testing/prometheus.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { exportedStatements } from '../../scripts/golden.ts'
import { ROOT } from '../../scripts/root.ts'
import { apiKeyOf } from './support/callers.ts'
import { refused } from './support/refused.ts'

const post = await startMailServer()
const server = await startServer({
  SMTP_URL: post.url,
  MAIL_FROM: 'no-reply@example.com',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  METRICS_TOKEN: 'the-token-of-these-tests',
})
const key = await server.newKey()

const AUTHORIZED = { authorization: 'Bearer the-token-of-these-tests' }

async function metrics(url = server.url, headers: Record<string, string> = AUTHORIZED) {
  const response = await fetch(`${url}/metrics`, { headers })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return parseMetrics(text)
}

/** Reads the metrics until a series has reached a value. */
const until = (name: string, labels: Record<string, string>, least = 1) =>
  eventually(`${name} ${JSON.stringify(labels)}`, async () => {
    const found = await metrics()
    return total(found, name, labels) >= least ? found : undefined
  })

const valuesOf = (families: ReturnType<typeof parseMetrics>, family: string, label: string): Set<string> =>
  new Set(families.get(family)?.samples.flatMap(({ labels }) => labels[label] ?? []))

/** Operations outside the contract, and the shared name of everything else. */
const OTHERS = ['authzen.evaluation', 'authzen.evaluations', 'authzen.configuration', 'signing-keys.jwks', 'other']

describe('metrics', () => {
  it('are valid, and named by the rules of Prometheus', async () => {
    const families = await metrics()
    const ours = [...families.values()].filter(({ name }) => /^(commonhold|http)_/.test(name))
    assert.ok(ours.length > 20)
    assert.deepEqual(lintMetrics(ours), [])
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      assert.ok(total(families, name) >= 0, name)
    assert.equal(total(families, 'commonhold_info', { engine: ENGINE }), 1)
    assert.equal(total(families, 'commonhold_database_up'), 1)
  })

  it('have every operation by HTTP status, and no other names, whatever is requested', async () => {
    for (const { path } of OPERATIONS) await fetch(server.url + path, { method: 'POST' })
    for (const path of ['/v2/nobody/knows', '/v2/organizations/add/%zz', '/x'.repeat(500)])
      for (const method of ['POST', 'PURGE', 'OPTIONS']) await fetch(server.url + path, { method })
    const families = await metrics()
    const seen = valuesOf(families, 'http_request_duration_seconds', 'operation')
    const known = new Set<string>(OPERATIONS.map(({ name }) => name))
    assert.deepEqual(
      [...known].filter((name) => !seen.has(name)),
      [],
    )
    assert.deepEqual(
      [...seen].filter((name) => !known.has(name) && !OTHERS.includes(name)),
      [],
    )
    assert.deepEqual(valuesOf(families, 'http_request_duration_seconds', 'method').size, 0)
    for (const status of valuesOf(families, 'http_request_duration_seconds', 'status')) assert.match(status, /^\d{3}$/)
  })

  it('count each request with its response', async () => {
    const count = async (status: string) =>
      total(await metrics(), 'http_request_duration_seconds_count', { operation: getOrganizations.name, status })
    const before = [await count('200'), await count('401')]
    for (let call = 0; call < 3; call++) await key.call(getOrganizations, {})
    await key.with({ ...key.headers, 'x-service-auth-token': 'nonsense' }).post(getOrganizations.path, {})
    assert.deepEqual([await count('200'), await count('401')], [(before[0] ?? 0) + 3, (before[1] ?? 0) + 1])
  })

  it('name statements as the code does, never ids, and an API key only in its usage', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId: 'secret-customer' }] })
    const response = await fetch(`${server.url}/metrics`, { headers: AUTHORIZED })
    const text = await response.text()
    assert.doesNotMatch(text, /secret-customer/)
    // Usage is counted by API key, which it names.
    const withoutUsage = text.replaceAll(/^commonhold_usage_total.*$/gm, '')
    for (const secret of Object.values(key.headers)) assert.ok(!withoutUsage.includes(secret))
    const families = parseMetrics(text)
    const known = new Set((await exportedStatements()).map(({ name }) => name))
    for (const family of [
      'commonhold_statement_duration_seconds',
      'commonhold_batch_requests',
      'commonhold_queued_rows',
    ])
      for (const name of valuesOf(families, family, 'statement')) assert.ok(known.has(name), `${family}: ${name}`)
    assert.ok(total(families, 'commonhold_statement_duration_seconds_count', { statement: 'organizations.add' }) > 0)
  })

  it('report how many requests a shared statement joins', async () => {
    const resource = { type: 'document', id: 'd', organizationId: 'acme' } as const
    await key.call(addPermissions, { user: { userId: 'u' }, permissions: { resources: [resource] } })
    const of = { statement: 'permissions.decide' }
    const before = await metrics()
    const checks = Array.from({ length: 100 }, () =>
      key.call(checkPermissions, { checks: [{ userId: 'u', resource }] }),
    )
    await Promise.all(checks)
    const after = await metrics()
    const more = (name: string, labels = of) => total(after, name, labels) - total(before, name, labels)
    const run = { statement: 'permissions.decide-in-short' }
    assert.equal(more('commonhold_batch_requests_sum'), 100)
    assert.equal(more('commonhold_batch_rows_sum'), 100)
    assert.ok(more('commonhold_batch_requests_count') < 100, 'nothing was joined')
    assert.equal(more('commonhold_statement_duration_seconds_count', run), more('commonhold_batch_requests_count'))
    assert.equal(total(after, 'commonhold_queued_rows'), 0)
  })

  it('report the connections to the database', async () => {
    const families = await metrics()
    const open = total(families, 'commonhold_database_connections')
    assert.ok(open >= 1 && open <= server.db.connections)
    assert.equal(total(families, 'commonhold_database_connections_max'), server.db.connections)
    assert.equal(total(families, 'commonhold_database_waiting'), 0)
    assert.equal(total(families, 'commonhold_turns_waiting'), 0)
  })

  it('report jobs, and the queues that they wait in', async () => {
    const organizationId = 'acme'
    await key.call(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId: 'old' }] })
    await key.call(migrateDocument, { organizationId, documentId: 'old', newDocumentId: 'new' })
    const families = await until('commonhold_job_duration_seconds_count', {
      queue: 'document-migrations',
      outcome: 'completed',
    })
    for (const state of ['ready', 'deferred', 'active'])
      assert.ok(valuesOf(families, 'commonhold_jobs', 'state').has(state))
    assert.ok(valuesOf(families, 'commonhold_jobs', 'queue').has('document-migrations'))
  })

  it('report webhooks: attempts by outcome, and due messages at working and failing endpoints', async () => {
    const receiver = await startReceiver(({ json }) => ({ status: json.data.organizationId === 'good' ? 204 : 500 }))
    const own = await server.newKey()
    await own.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const endpoint = await own.call(createWebhookEndpoint, { url: receiver.url, filterTypes: ['organization.added'] })
    await own.call(addOrganizations, { organizations: [{ organizationId: 'good' }] })
    await until('commonhold_webhook_attempt_duration_seconds_count', { outcome: 'delivered' })
    await own.call(addOrganizations, { organizations: [{ organizationId: 'bad' }] })
    await until('commonhold_webhook_attempt_duration_seconds_count', { outcome: 'failed' })
    const families = await metrics()
    assert.deepEqual(
      valuesOf(families, 'commonhold_webhook_deliveries_due', 'endpoints'),
      new Set(['working', 'failing']),
    )
    await own.call(deleteWebhookEndpoint, { endpointId: endpoint.id })
    receiver.close()
  })

  it('report mails: attempts by outcome, and the waiting ones', async () => {
    const own = await server.newKey()
    await own.call(updateEmailConfig, {
      useEmailService: true,
      emailServiceConfig: { type: 'default', triggers: { 'permission.added': true } },
    })
    const users = [{ userId: 'u', name: 'Ada', email: 'ada@example.com' }]
    await own.call(addUsers, { organizationId: 'acme', users })
    const families = await until('commonhold_mail_attempts_total', { carrier: 'smtp', outcome: 'sent' })
    assert.deepEqual(valuesOf(families, 'commonhold_mails_waiting', 'carrier'), new Set(['smtp', 'sendgrid']))
  })

  it('report how far behind the followers of events are', async () => {
    const families = await metrics()
    assert.deepEqual(valuesOf(families, 'commonhold_followers_behind', 'consumer'), new Set(['webhooks', 'mail']))
    assert.ok(total(families, 'commonhold_followers_behind_oldest_seconds') < 60)
  })

  it('report the backlogs, and how long they have waited', async () => {
    const apiKey = apiKeyOf(key)
    const insertEndpoint = (id: string, failingSince: string) => `
      insert into webhook_endpoints (api_key_id, endpoint_id, kind, url, active, failing_since, due_at)
      values ('${apiKey}', '${id}', 'signed', '', true, ${failingSince}, now() - interval '2 hours')`
    const insertDeliveries = (id: string, count: number) => `
      insert into webhook_deliveries (endpoint_key, stream, sequence, due_at)
      select endpoint_key, gen_random_uuid(), n, now() - n * interval '1 hour'
        from webhook_endpoints, generate_series(0, ${count}) n where endpoint_id = '${id}'`
    const undone = new Error('undone')
    await assert.rejects(
      // Uncommitted rows are visible only here, so no worker processes them.
      server.db.transaction(async (session) => {
        const before = await session.run(COUNT_BEHIND)
        await session.query(`${insertEndpoint('works', 'null')}; ${insertDeliveries('works', 2)}`)
        await session.query(`${insertEndpoint('fails', 'now()')}; ${insertDeliveries('fails', 4)}`)
        await session.query(`update webhook_deliveries set due_at = now() + interval '1 hour' where sequence = 0`)
        await session.query(
          `insert into mails (api_key_id, kind, carrier, recipient, stream, sequences, due_at, created_at)
           select '${apiKey}', 'kind', 'sendgrid', '', gen_random_uuid(), '{}', now(), now() - n * interval '1 hour'
             from generate_series(1, 3) n`,
        )
        await session.query(
          `insert into event_followers (consumer, api_key_id, seen) values ('webhooks', '${apiKey}', '1:1:')`,
        )
        const rounded = (rows: { count: number; oldestSeconds: number }[], by: string) =>
          Object.fromEntries(
            rows.map((row) => [row[by as keyof typeof row], [row.count, Math.round(row.oldestSeconds / 60)]]),
          )
        assert.deepEqual(rounded(await session.run(COUNT_DUE), 'endpoints'), { working: [2, 120], failing: [4, 240] })
        assert.deepEqual(rounded(await session.run(COUNT_WAITING), 'carrier').sendgrid, [3, 180])
        const behind = (rows: typeof before) => rows.find(({ consumer }) => consumer === 'webhooks')?.count ?? 0
        assert.equal(behind(await session.run(COUNT_BEHIND)), behind(before) + 1)
        throw undone
      }),
      undone,
    )
  })

  it('count failed statements, and leave out what the database does not return in time', async () => {
    await server.db.query('alter table mails rename to other')
    try {
      assert.equal(total(await metrics(), 'commonhold_database_up'), 0)
      const failed = { statement: 'mails.count-waiting', code: '42P01' }
      await eventually('failed statement', async () => {
        return total(await metrics(), 'commonhold_statement_errors_total', failed) >= 1 || undefined
      })
      assert.deepEqual((await metrics()).get('commonhold_webhook_deliveries_due')?.samples, [])
    } finally {
      await server.db.query('alter table other rename to mails')
    }
    await eventually('database', async () => total(await metrics(), 'commonhold_database_up') === 1 || undefined)
  })
})

describe('metrics can be read by', () => {
  const read = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/metrics`, { headers })
    const text = await response.text()
    return { http: response.status, headers: response.headers, text, body: response.ok ? {} : JSON.parse(text) }
  }

  it('nobody, until there is a token', async () => {
    const { url } = await startServer({ METRICS_TOKEN: '' })
    const { reason, message } = refused(await read(url), 'PERMISSION_DENIED')
    assert.equal(reason, 'metrics_closed')
    assert.match(message, /METRICS_TOKEN/)
  })

  it('only callers that send the token, from any address', async () => {
    const METRICS_TOKEN = 'sixteen-letters!'
    const { url } = await startServer({ METRICS_TOKEN })
    for (const authorization of ['', 'Bearer', 'Bearer other-sixteen-letters', METRICS_TOKEN, `Basic ${METRICS_TOKEN}`])
      assert.equal(refused(await read(url, { authorization }), 'UNAUTHENTICATED').reason, 'metrics_token_wrong')
    await metrics(url, { authorization: `Bearer ${METRICS_TOKEN}`, 'x-forwarded-for': '203.0.113.7' })
  })
})

describe('the dashboard and the alerts', () => {
  const read = (file: string) => readFileSync(path.join(ROOT, 'deploy', file), 'utf8')
  const panels: { targets?: { expr: string }[] }[] = JSON.parse(read('grafana-dashboard.json')).panels
  const rules: { expr: string }[] = parse(read('prometheus-rules.yaml')).groups[0].rules
  const EXPRESSIONS = {
    'grafana-dashboard.json': panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    'prometheus-rules.yaml': rules.map(({ expr }) => expr),
  }
  const METRIC = /\b(?:http|commonhold|process|nodejs)_\w+/g

  for (const [file, expressions] of Object.entries(EXPRESSIONS))
    it(`deploy/${file} uses only existing metrics and labels`, async () => {
      const families = await metrics()
      const labels = new Set(
        [...families.values()].flatMap(({ samples }) => samples.flatMap((one) => Object.keys(one.labels))),
      )
      assert.ok(expressions.length >= 10)
      for (const expr of expressions) {
        const names = expr.match(METRIC) ?? []
        assert.ok(names.length > 0, expr)
        for (const name of names)
          assert.ok(
            families.has(name) || families.get(name.replace(/_(bucket|sum|count)$/, ''))?.type === 'histogram',
            name,
          )
        const used = [
          ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, ?/)),
          ...[...expr.matchAll(/[{,] ?(\w+)[!=]~?"/g)].map(([, label = '']) => label),
        ]
        for (const label of used)
          assert.ok(labels.has(label) || ['job', 'instance', 'host'].includes(label), `${label} in ${expr}`)
      }
    })
})
