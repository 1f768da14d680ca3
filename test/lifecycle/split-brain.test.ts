/** A server with several PostgreSQL hosts uses only the primary, and never a superseded one. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { databaseClock } from '#platform/clock.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { eventually, until } from '#testing/eventually.ts'
import { freePort } from '#testing/processes/free-port.ts'
import { type ServerProcess, type Settings, startProcess } from '#testing/processes/process.ts'
import { startReplicas, urlOf } from '#testing/run/replicas.ts'
import { ENGINE, MASTER_KEY } from '#testing/server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

const resource = { type: 'document', id: 'plan', organizationId: 'acme' } as const
const ask = { organizationId: 'acme', userIds: ['ada'], documentIds: ['plan'] }
const grant = { user: { userId: 'ada' }, permissions: { resources: [resource] } }

const settingsFor = (...replicas: { port: number }[]): Settings => ({
  DATABASE_URL: urlOf(replicas),
  MASTER_KEY: MASTER_KEY.toString('base64'),
  METRICS_TOKEN: 'a-token-for-metrics-in-tests',
})

const readiness = async ({ url }: ServerProcess): Promise<string> => {
  const response = await fetch(`${url}/readyz`)
  return `${response.status} ${await response.text()}`
}

async function metricsOf({ url }: ServerProcess): Promise<string> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer a-token-for-metrics-in-tests' } })
  return response.text()
}

describe('several hosts', { skip: ENGINE === 'embedded' }, () => {
  test('the primary among them is used, a promotion is noticed, and a former primary never decides or is written to', async () => {
    const [first, second] = await startReplicas(2)

    // One host refuses connections, one accepts them and never responds; the standby comes before the primary.
    const silent = await startTcpProxy({ host: '127.0.0.1', port: first.port })
    cleanUp(() => silent.close())
    silent.hang()
    const server = await startProcess(settingsFor({ port: await freePort() }, silent, second, first))
    // These know only one host each, as behind a network that is cut in two.
    const onlyFirst = await startProcess(settingsFor(first))
    const client = await server.client.newKey()
    await client.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    await client.call(addPermissions, grant)
    const callers = [client, onlyFirst.client.with(client.headers)] as const
    for (const caller of callers)
      assert.equal((await caller.call(getPermissions, ask)).ada?.documents?.plan?.accessRole, 'editor')
    assert.match(await metricsOf(server), /^commonhold_database_primary 1$/m)
    assert.match(await metricsOf(server), /^commonhold_standby_behind_bytes\{host="127\.0\.0\.1:\d+"\} \d+$/m)

    // Both say that they are primary.
    await second.promote()
    await until('work with the promoted server', async () => {
      await client.post(addPermissions.path, { ...grant, user: { userId: 'bob' } })
      return (await second.query("select from grants where principal = 'bob'")).length === 1
    })
    const [before] = await first.query('select max(tick) as tick from events')

    // The server that reaches only the former primary was made to stop using it, and reports why.
    const refused = await eventually('refusal by the other server', async () => {
      const answer = await callers[1].post(getPermissions.path, ask)
      return answer.http === 503 ? answer : undefined
    })
    assert.equal(refused.body.error.status, 'UNAVAILABLE')
    assert.equal(refused.body.error.reason, 'primary_disputed')
    assert.match(refused.body.error.message, /former primary: it is on timeline 1, and .* timeline 2/)
    assert.match(await readiness(onlyFirst), /^503 .*former primary: it is on timeline 1/)
    // A new connection may have found it; the metrics say what the watcher found, which was woken.
    await until('metrics of the dispute', async () =>
      /^commonhold_database_disputed 1$/m.test(await metricsOf(onlyFirst)),
    )
    assert.match(await metricsOf(onlyFirst), /^commonhold_database_primary 0$/m)
    const restarted = startProcess(settingsFor(first)).then(
      () => 'started',
      (error: Error) => error.message,
    )
    assert.match(await restarted, /former primary: it is on timeline 1/)

    // The former primary dies and starts again: it is still not used.
    await first.kill()
    await first.start()
    for (let round = 0; round < 20; round++) {
      await client.call(addPermissions, { ...grant, user: { userId: `user ${round}` } })
      assert.equal((await callers[1].post(getPermissions.path, ask)).http, 503)
    }
    const [after] = await first.query('select max(tick) as tick from events')
    assert.deepEqual(after, before, 'a write on the former primary')
    assert.equal((await second.query("select from grants where principal like 'user %'")).length, 20)
    assert.match(await readiness(server), /^200/)
  })

  test('two that were promoted to the same timeline are refused until one is stopped, unless one was adopted', async () => {
    const [first, second, third] = await startReplicas(3)
    const server = await startProcess(settingsFor(first, second, third))
    const client = await server.client.newKey()
    await client.call(addPermissions, grant)
    // The standbys are asynchronous: one that is promoted at once may lack the key.
    for (const standby of [second, third])
      await until(`the grant on ${standby.name}`, async () => (await standby.query('select from grants')).length > 0)
    await first.kill()
    await second.promote()
    await until('work with the second', async () => (await client.post(getPermissions.path, ask)).http === 200)
    await third.promote()
    // Both are on timeline 2; the second was adopted.
    const another = await startProcess(settingsFor(third, second))
    await another.client.with(client.headers).call(addPermissions, { ...grant, user: { userId: 'bob' } })
    assert.equal((await second.query("select from grants where principal = 'bob'")).length, 1)

    // A server that reaches only the third adopts it too, so nobody can say which one is right.
    await startProcess(settingsFor(third))
    const refused = await eventually('refusal', async () => {
      const answer = await client.post(getPermissions.path, ask)
      return answer.http === 200 ? undefined : answer
    })
    assert.equal(refused.body.error.reason, 'primary_disputed')
    assert.match(refused.body.error.message, /Two PostgreSQL servers say that they are primary on timeline 2/)
    await third.kill()
    await until('work with the second', async () => (await client.post(getPermissions.path, ask)).http === 200)
  })

  test('a promotion ends the wait for connections that are being opened to a former primary that hangs', async () => {
    const [first, second] = await startReplicas(2)
    const [name, silent] = await Promise.all([
      startTcpProxy({ host: '127.0.0.1', port: first.port }),
      startTcpProxy({ host: '127.0.0.1', port: first.port }),
    ])
    silent.hang()
    await (await startProcess(settingsFor(first))).kill('SIGTERM')
    await until('the schema on the standby', () =>
      second.query('select from database_epochs').then(
        (rows) => rows.length > 0,
        () => false,
      ),
    )
    const options = { connections: 200, statementTimeoutMs: 60_000, watch: true }
    const db = await openPostgres(urlOf([name, second]), databaseClock, options)
    cleanUp(() => Promise.all([db.close(), name.close(), silent.close()]))
    await name.shut()
    name.leadTo({ host: '127.0.0.1', port: silent.port })
    await name.open()
    // Some connections are young at every moment: without the promotion, they would wait on when another call has succeeded.
    const late: string[] = []
    const calls: Promise<void>[] = []
    let works = false
    const succeeded = () => {
      works = true
    }
    const failed = (error: Error) => {
      if (works) late.push(error.message)
    }
    const ask = async () => {
      for (; !works; await sleep(100)) calls.push(db.query('select').then(succeeded, failed))
    }
    const asking = ask()
    await until('connections that are being opened', () => db.pool.open > 1)
    await second.promote()
    await asking
    await Promise.all(calls)
    assert.deepEqual(late, [])
  })
})
