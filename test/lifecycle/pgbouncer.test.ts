/**
 * PgBouncer in session mode works like PostgreSQL itself. With another mode the server does not start, and a running
 * server does not use a shared connection.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { PGBOUNCER, startPgBouncer } from '#testing/processes/pgbouncer.ts'
import { createLastingStore, refusedStart, type ServerProcess, startProcess } from '#testing/processes/process.ts'

const WHERE = { organizationId: 'acme' }
const resource = (id: string) => ({ type: 'document' as const, id, ...WHERE })

/** Starts a database with a PgBouncer in front of it. */
async function startPooled(settings: Readonly<Record<string, string>>) {
  const store = await createLastingStore()
  const url = store.settings.DATABASE_URL ?? ''
  const bouncer = await startPgBouncer(url, settings)
  return { store, bouncer, pooled: { ...store.settings, DATABASE_URL: bouncer.through(url) } }
}

async function grantTo(key: Client, userId: string): Promise<void> {
  await key.call(addPermissions, { user: { userId }, permissions: { resources: [resource('d')] } })
}

const addAnother = (key: Client) => key.call(addDocuments, { ...WHERE, documents: [{ documentId: 'another' }] })

async function canView(key: Client, userId: string, id = 'd'): Promise<boolean | undefined> {
  const { checks } = await key.call(checkPermissions, { checks: [{ userId, resource: resource(id) }] })
  return checks[0]?.allowed
}

async function prepare({ client }: ServerProcess): Promise<Client> {
  const key = await client.newKey()
  const documents = [{ documentId: 'd', accessType: 'restricted' as const }]
  await key.call(addDocuments, { ...WHERE, createOrganization: true, documents })
  return key
}

describe.skipIf(PGBOUNCER === undefined)(`PgBouncer ${PGBOUNCER ?? 'is not here: set PGBOUNCER_PATH'}`, () => {
  test('in session mode serves servers, their jobs and the end of their calls', async () => {
    const { store, bouncer, pooled } = await startPooled({ pool_mode: 'session', default_pool_size: '60' })
    const [one, other] = await Promise.all([startProcess(pooled), startProcess(pooled)])
    const key = await prepare(one)
    const users = Array.from({ length: 60 }, (_, nth) => `user ${nth}`)
    await Promise.all(users.map((userId) => grantTo(key, userId)))
    const elsewhere = other.client.with(key.headers)
    const allowed = await Promise.all([...users, 'stranger'].map((userId) => canView(elsewhere, userId)))
    assert.deepEqual(allowed, [...users.map(() => true), false])

    // If a caller hangs up, its statement ends, although the driver's process number differs from PostgreSQL's.
    const db = await store.open()
    await db.script(`create function sleep() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
      create trigger sleep before insert on document_aliases for each row execute function sleep();
      create trigger sleep before insert on users for each row execute function sleep()`)
    const sleeping = async () =>
      (await db.query(`select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`))
        .rows.length
    const hangingUp = new AbortController()
    const call = fetch(`${one.url}/v2/users/add`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key.headers },
      body: JSON.stringify({ data: { ...WHERE, users: [{ userId: 'slow' }] } }),
      signal: hangingUp.signal,
    }).catch(() => {})
    await until('statement under way', async () => (await sleeping()) === 1)
    hangingUp.abort()
    await call
    await until('end of the statement', async () => (await sleeping()) === 0)

    // The statements of a killed server end too, and the other server continues its job.
    const { migrationId = '' } = await key.call(migrateDocument, { ...WHERE, documentId: 'd', newDocumentId: 'moved' })
    await until('migration under way', async () => (await sleeping()) === 1)
    await db.script('drop trigger sleep on document_aliases')
    await one.kill('SIGKILL')
    await until('end of the migration', async () => {
      const { status } = await elsewhere.call(getMigrationStatus, { ...WHERE, migrationId })
      return status === 'completed'
    })

    // The server uses PgBouncer again after a kill, and when it has fewer connections than the server wants.
    await bouncer.reload({ default_pool_size: '1', query_wait_timeout: '1' })
    await bouncer.restart()
    await until('a refusal', async () => {
      const asked = [
        canView(elsewhere, 'user 1', 'moved'),
        canView(elsewhere, 'user 2', 'moved'),
        addAnother(elsewhere),
      ]
      const outcomes = await Promise.allSettled(asked)
      for (const one of outcomes)
        if (one.status === 'rejected') assert.match(String(one.reason), /503 .*"UNAVAILABLE".*"database_unavailable"/)
        else assert.notEqual(one.value, false)
      return outcomes.some(({ status }) => status === 'rejected')
    })
    await bouncer.reload({ default_pool_size: '60', query_wait_timeout: '1' })
    await until('a response', () =>
      canView(elsewhere, 'user 1', 'moved').then(
        (may) => may === true,
        () => false,
      ),
    )
    await db.close()
  })

  test.for(['transaction', 'statement'])('in %s mode is refused at the start, with what to set', async (pool_mode) => {
    for (const server_round_robin of ['0', '1']) {
      const { pooled } = await startPooled({ pool_mode, server_round_robin, default_pool_size: '20' })
      const { code, stderr } = await refusedStart(pooled)
      assert.equal(code, 1)
      assert.match(
        stderr,
        /^commonhold: The database of DATABASE_URL cannot be used: a pooler [^\n]+ set pool_mode = session [^\n]+\.$/m,
      )
      assert.doesNotMatch(stderr, /^ +at /m)
    }
  })

  test('with a single connection is refused at the start, with what to set', async () => {
    const { pooled } = await startPooled({ pool_mode: 'session', default_pool_size: '1' })
    const { code, stderr } = await refusedStart(pooled)
    assert.equal(code, 1)
    assert.match(stderr, /set default_pool_size there to more than DATABASE_CONNECTIONS/)
  })

  test('that changes to transaction mode meanwhile gives errors, never wrong results', async (t) => {
    const { bouncer, pooled } = await startPooled({ pool_mode: 'session', default_pool_size: '30' })
    const server = await startProcess(pooled)
    const key = await prepare(server)
    await grantTo(key, 'viewer')
    await bouncer.reload({ pool_mode: 'transaction' })
    const outcomes = new Map<string, number>()
    for (let round = 0; round < 10; round++) {
      const calls = Array.from({ length: 40 }, (_, nth) => {
        const expected = nth % 2 === 0
        return canView(key, expected ? 'viewer' : 'stranger').then(
          (allowed) => (allowed === expected ? 'right' : 'wrong'),
          () => 'refused',
        )
      })
      for (const outcome of await Promise.all(calls)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    t.annotate([...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', '))
    assert.equal(outcomes.get('wrong'), undefined)
    await bouncer.reload({ pool_mode: 'session' })
    await until('a response', () =>
      canView(key, 'viewer').then(
        (may) => may === true,
        () => false,
      ),
    )
    await bouncer.restart()
    await until('forty responses', async () => {
      const may = await Promise.allSettled(Array.from({ length: 40 }, () => canView(key, 'viewer')))
      return may.every((one) => one.status === 'fulfilled' && one.value === true)
    })
  })
})
