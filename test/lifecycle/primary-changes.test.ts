/**
 * Difficult changes of the primary: its standbys do not confirm, its name points to another server, another cluster is
 * behind it, or it hides its log.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { eventually, until } from '#testing/eventually.ts'
import { openLivePage } from '#testing/live-stream.ts'
import { type Settings, startProcess } from '#testing/processes/process.ts'
import { createReplicas, startReplicas, urlOf } from '#testing/run/replicas.ts'
import { ENGINE, MASTER_KEY } from '#testing/server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

const resource = { type: 'document', id: 'plan', organizationId: 'acme' } as const
const ask = { organizationId: 'acme', userIds: ['ada'], documentIds: ['plan'] }
const grantTo = (userId: string) => ({ user: { userId }, permissions: { resources: [resource] } })

const settingsFor = (url: string, STATEMENT_TIMEOUT_MS = '10000'): Settings => ({
  ...{ DATABASE_URL: url, MASTER_KEY: MASTER_KEY.toString('base64') },
  STATEMENT_TIMEOUT_MS,
})
const at = ({ port }: { port: number }) => ({ host: '127.0.0.1', port })
const urlOfPort = ({ port }: { port: number }) => `postgres://postgres@127.0.0.1:${port}/postgres?application_name=mine`

describe('the primary', { skip: ENGINE === 'embedded' }, () => {
  test('is said to wait for its standbys while a start writes the schema', async () => {
    const [first] = await startReplicas(2)
    await first.query("alter system set synchronous_standby_names = 'nobody'")
    await first.query('select pg_reload_conf()')
    const started = startProcess(settingsFor(urlOf([first])))
    // PostgreSQL itself would wait indefinitely, and say nothing.
    const found = async (what: string) => (await first.query(`select clock_timestamp()::text as now ${what}`))[0]?.now
    const since = await eventually('commit that waits', () =>
      found(`from pg_stat_activity where wait_event = 'SyncRep'`),
    )
    const asked = `from pg_stat_activity where state = 'idle' and query like '%SyncRep%' and query_start > '${since}'`
    await until('question', async () => (await found(asked)) !== undefined)
    await first.query("alter system set synchronous_standby_names = ''")
    await first.query('select pg_reload_conf()')
    assert.match((await started).output.stderr, /waits for a standby to confirm it: start one, or change/)
  })

  test('is used once its standbys confirm a change, by every server', async () => {
    const [first, second] = await startReplicas(2)
    const name = await startTcpProxy(at(first))
    cleanUp(() => name.close())
    const server = await startProcess(settingsFor(urlOf([first, second]), '1000'))
    const client = await server.client.newKey()
    await client.call(addPermissions, grantTo('ada'))
    // Two names of one server; open connections stay with it.
    const named = await startProcess(
      settingsFor(`${urlOf([first, second]).replaceAll(`:${second.port}`, `:${name.port}`)}`, '1000'),
    )
    const elsewhere = named.client.with(client.headers)
    await elsewhere.call(addPermissions, grantTo('bob'))

    await second.query("alter system set synchronous_standby_names = 'nobody'")
    await second.query('select pg_reload_conf()')
    await first.kill()
    await second.promote()
    name.leadTo(at(second))
    const refused = (message: RegExp) =>
      eventually(`refusal: ${message}`, async () => {
        const { http, body } = await client.post(getPermissions.path, ask)
        return http === 503 && message.test(body.error.message) ? true : undefined
      })
    await refused(/cannot be used yet: its standbys do not confirm changes/)
    // PostgreSQL keeps a row that no standby confirmed.
    await second.kill()
    await second.start()
    assert.equal((await second.query('select from database_epochs where timeline = 2')).length, 1)
    for (let round = 0; round < 3; round++) {
      await refused(/cannot be used yet: its standbys do not confirm changes/)
      assert.equal((await elsewhere.post(getPermissions.path, ask)).http, 503)
    }
    await second.query("alter system set synchronous_standby_names = ''")
    await second.query('select pg_reload_conf()')
    await until('work', async () => (await client.post(addPermissions.path, grantTo('cyd'))).http === 200)
    await until('work', async () => (await elsewhere.post(addPermissions.path, grantTo('dan'))).http === 200)

    // The standby of the primary in use is gone: commits are not acknowledged, and reads work.
    await second.query("alter system set synchronous_standby_names = 'nobody'")
    await second.query('select pg_reload_conf()')
    const changes = [
      [addPermissions, grantTo('eve')],
      [removePermissions, grantTo('ada')],
      [addOrganizations, { organizations: [{ organizationId: 'other' }] }],
      [updateKeyConfig, { defaultDocumentAccessType: 'restricted' }],
      [updateAdvancedWebhookConfig, { isEnabled: true }],
    ] as const
    for (const [{ path }, data] of changes)
      await until(`refusal of ${path}`, async () => {
        const { http, text, body } = await client.post(path, data)
        assert.ok(http === 503 || http === 504, `${path}: ${http} ${text}`) // 504: the transaction that locks the row waits for the standby
        return body.error.reason === 'database_unavailable' && /did not confirm the change/.test(text)
      })
    // PostgreSQL itself would wait indefinitely, with the locks and the connection.
    const waiting = `select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name <> 'commonhold-watch'`
    const waited = await eventually('wait for the standby', async () => {
      const found = (await second.query(waiting)).map(({ pid }) => pid)
      return found.length > 0 ? found : undefined
    })
    await until('end of it', async () => {
      return (await second.query(waiting)).every(({ pid }) => !waited.includes(pid))
    })
    assert.equal((await client.post(getPermissions.path, ask)).http, 200)
    await second.query("alter system set synchronous_standby_names = ''")
    await second.query('select pg_reload_conf()')
    await client.call(addPermissions, grantTo('fay'))
  })

  test('is found although it is read-only and open connections stay with the former one, which ends connections by any name', async () => {
    const [first, second] = await startReplicas(2)
    const [one, other] = await Promise.all([startTcpProxy(at(first)), startTcpProxy({ host: '127.0.0.1', port: 1 })])
    cleanUp(() => Promise.all([one.close(), other.close()]))
    const server = await startProcess(settingsFor(urlOf([one, other])))
    const onlyFirst = await startProcess(settingsFor(urlOfPort(first)))
    const client = await server.client.newKey()
    await client.call(addPermissions, grantTo('ada'))
    await second.query('alter system set default_transaction_read_only = on')
    await second.query('select pg_reload_conf()')
    await second.promote()
    one.leadTo(at(second))
    const refused = await eventually('refusal of changes', async () => {
      const { http, body } = await client.post(addPermissions.path, grantTo('bob'))
      return http === 503 && body.error.reason === 'database_read_only' ? body : undefined
    })
    assert.match(refused.error.message, /read-only; reads work/)
    assert.equal((await client.post(getPermissions.path, ask)).http, 200)
    assert.match(await (await fetch(`${server.url}/readyz`)).text(), /"read only"/)
    await second.query('alter system set default_transaction_read_only = off')
    await second.query('select pg_reload_conf()')
    await until('work with the promoted server', async () => {
      await client.post(addPermissions.path, grantTo('bob'))
      return (await second.query("select from grants where principal = 'bob'")).length === 1
    })
    const elsewhere = onlyFirst.client.with(client.headers)
    assert.equal((await elsewhere.post(getPermissions.path, ask)).http, 200)
    other.leadTo(at(first))
    await until('refusal', async () => (await elsewhere.post(getPermissions.path, ask)).http === 503)
  })

  test('is another cluster behind the same address: the process exits, and the next one works there', async () => {
    const [first, second] = await createReplicas(2)
    second.create()
    await Promise.all([first.start(), second.start()])
    const name = await startTcpProxy(at(first))
    cleanUp(() => name.close())
    const server = await startProcess(settingsFor(urlOfPort(name)))
    await name.shut()
    name.leadTo(at(second))
    await name.open()
    const { code, stderr } = await server.exited
    assert.equal(code, 1)
    assert.match(stderr, /^commonhold: The PostgreSQL server .* belongs to another cluster/m)
    const next = await startProcess(settingsFor(urlOfPort(name)))
    await next.client.newKey()
  })

  test('hides its log: the server starts, lists events and serves live streams', async () => {
    const [first] = await createReplicas(1)
    await first.start()
    await first.query('create role app login')
    await first.query('create database app owner app')
    const url = `postgres://app@127.0.0.1:${first.port}/app`
    const revoked = ['current_wal_lsn', 'current_wal_flush_lsn', 'last_wal_replay_lsn', 'last_xact_replay_timestamp']
    for (const name of revoked)
      await first.query(
        `revoke execute on function pg_${name}() from public`,
        [],
        `postgres://postgres@127.0.0.1:${first.port}/app`,
      )
    const server = await startProcess(settingsFor(url))
    const client = await server.client.newKey()
    await client.call(addPermissions, grantTo('ada'))
    for (const query of [{ order: 'oldestFirst' }, { order: 'oldestFirst', organizationId: 'acme' }]) {
      const page = await client.post(listEvents.path, query)
      const { nextPageToken } = page.body.result
      assert.equal(typeof nextPageToken, 'string')
      assert.equal((await client.post(listEvents.path, { ...query, pageToken: nextPageToken })).http, 200)
    }
    const { token } = await client.call(generateToken, { userId: 'ada' })
    const page = await openLivePage(server.url, token, { organizationId: 'acme', documentIds: ['plan'] })
    assert.equal(page.http, 200, page.refusal)
    await page.received('ready')
  })
})
