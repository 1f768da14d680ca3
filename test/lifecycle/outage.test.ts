/** Calls while the database hangs or is unavailable, and the recovery without a restart when it is available again. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { AUTHZEN_PATHS, EVALUATION_EXAMPLE } from '#contract/access/authzen.ts'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { getDocuments } from '#contract/resources/documents.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Answer, Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import {
  createLastingStore,
  type ServerProcess,
  type Settings,
  type Store,
  startProcess,
} from '#testing/processes/process.ts'
import { startOwnPostgres } from '#testing/run/postgres.ts'
import { ENGINE, MASTER_KEY } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** Only the time-out of statements ends a call, not that of requests. */
const TIMEOUTS = { STATEMENT_TIMEOUT_MS: '1000', REQUEST_TIMEOUT_MS: '3600000' }

interface Installation {
  server: ServerProcess
  client: Client
  /** A caller with a user token of ada. */
  ada: Client
}

/** Starts a server that connects to its database through a proxy. A grant of `ada` on a restricted document is stored. */
async function install(settings: Settings = {}): Promise<Installation & { store: Store; door: TcpProxy }> {
  const store = await createLastingStore()
  const url = new URL(store.settings.DATABASE_URL ?? '')
  const door = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
  cleanUp(() => door.close())
  url.port = String(door.port)
  return { ...(await installOn({ ...store.settings, ...settings, DATABASE_URL: url.href })), store, door }
}

async function installOn(settings: Settings): Promise<Installation> {
  const server = await startProcess({ ...TIMEOUTS, ...settings })
  const client = await server.client.newKey()
  await client.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await grant(client, 'ada')
  const { token } = await client.call(generateToken, { userId: 'ada' })
  const ada = server.client.with({ authorization: `Bearer ${token}` })
  return { server, client, ada }
}

const grant = (client: Client, userId: string) =>
  client.call(addPermissions, {
    user: { userId },
    permissions: { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] },
  })

const ask = { organizationId: 'acme', userIds: ['ada'], documentIds: ['plan'] }

const resource = { type: 'document', id: 'plan', organizationId: 'acme' } as const

/** Every call that decides about access. */
const askEverything = ({ client, ada }: Installation): Promise<Answer[]> =>
  Promise.all([
    client.post(getPermissions.path, ask),
    client.post(checkPermissions.path, {
      checks: [{ userId: 'ada', resource }],
    }),
    client.post(explainPermissions.path, { userId: 'ada', resource }),
    client.post(listPermittedResources.path, { organizationId: 'acme', userId: 'ada' }),
    client.post(listPermittedUsers.path, { resource }),
    ada.post(getPermissions.path, { organizationId: 'acme', documentIds: ['plan'] }),
    ada.post(checkPermissions.path, { checks: [{ resource }] }),
  ])

/** Makes several kinds of reads and writes concurrently. */
const callEverything = async (installation: Installation): Promise<Answer[]> => {
  const { client } = installation
  const others = Promise.all([
    client.post(getDocuments.path, { organizationId: 'acme' }),
    client.post('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] }),
    client.post(addPermissions.path, { user: { userId: 'bob' }, permissions: { resources: [resource] } }),
  ])
  return [...(await askEverything(installation)), ...(await others)]
}

/** A response of AuthZEN has no status of the API, only the HTTP status and a sentence. */
async function assertEvaluationUnavailable({ client }: Installation): Promise<void> {
  const { http, text } = await client.raw(AUTHZEN_PATHS.evaluation, JSON.stringify(EVALUATION_EXAMPLE))
  assert.ok(http === 503 || http === 504, `${http} ${text}`)
  assert.doesNotMatch(text, /"decision"/)
}

/** Asserts that every response is a temporary failure that can be retried. */
function assertOnlyUnavailable(answers: readonly Answer[]): void {
  for (const { http, body, text } of answers) {
    assert.ok(['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(body.error?.status), `${http} ${text}`)
    assert.ok(http === 503 || http === 504)
  }
}

/** Asserts that ada has access. */
function assertAllows({ text }: Answer): void {
  assert.match(text, /"accessRole":"editor"/)
  assert.doesNotMatch(text, /"allowed":false/)
}

async function assertNotReady(server: ServerProcess): Promise<void> {
  assert.equal((await fetch(`${server.url}/readyz`)).status, 503)
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
}

/** Asserts that the same server serves again, with stored data and new changes. */
async function assertRecovered(installation: Installation): Promise<void> {
  const { server, client } = installation
  await until('readiness after the database was back', async () => (await fetch(`${server.url}/readyz`)).ok)
  await grant(client, 'eve')
  const found = await client.call(getPermissions, { ...ask, userIds: ['ada', 'eve'] })
  assert.equal(found.ada?.documents?.plan?.accessRole, 'editor')
  assert.equal(found.eve?.documents?.plan?.accessRole, 'editor')
  for (const answer of await askEverything(installation)) assertAllows(answer)
}

/**
 * Grants and checks access during `disturb`, which can wait until another grant was acknowledged. Every acknowledged grant
 * is stored, and no decision is wrong.
 */
async function assertNothingLost(
  installation: Installation,
  db: Db,
  disturb: (another: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { client } = installation
  const acknowledged: string[] = []
  let loading = true
  const granting = Array.from({ length: 8 }, async (_, caller) => {
    for (let serial = 0; loading; serial++) {
      const userId = `user ${caller}.${serial}`
      const answer = await client.post(addPermissions.path, {
        user: { userId },
        permissions: { resources: [resource] },
      })
      if (answer.http === 200) acknowledged.push(userId)
      else assertOnlyUnavailable([answer])
    }
  })
  const asking = Array.from({ length: 4 }, async () => {
    while (loading)
      for (const answer of await askEverything(installation)) {
        if (answer.http !== 200) assertOnlyUnavailable([answer])
        else assertAllows(answer)
      }
  })
  const another = async () => {
    const before = acknowledged.length
    await until('another acknowledged grant', () => acknowledged.length > before)
  }
  await disturb(another).finally(() => {
    loading = false
  })
  await Promise.all([...granting, ...asking])
  await assertRecovered(installation)
  const { rows } = await db.query(`select principal as user_id from grants where principal like 'user %'`)
  const stored = new Set((rows as { user_id: string }[]).map(({ user_id }) => user_id))
  assert.deepEqual(
    acknowledged.filter((userId) => !stored.has(userId)),
    [],
  )
  assert.ok(acknowledged.length > 0)
}

describe('a database that', { skip: ENGINE === 'embedded' }, () => {
  test('is unavailable makes calls UNAVAILABLE, never denied, until it is back', async () => {
    const installation = await install()
    const { server, door } = installation
    await door.shut()
    for (let round = 0; round < 3; round++) assertOnlyUnavailable(await callEverything(installation))
    await assertEvaluationUnavailable(installation)
    await assertNotReady(server)
    await door.open()
    await assertRecovered(installation)
  })

  test('breaks its connections under load loses no acknowledged change', async () => {
    const installation = await install()
    const db = await installation.store.open()
    await assertNothingLost(installation, db, async (another) => {
      for (let round = 0; round < 10; round++) {
        await another()
        await db.query(`select pg_terminate_backend(pid) from pg_stat_activity
                         where datname = current_database() and pid <> pg_backend_pid()`)
      }
    })
    await db.close()
  })

  test('restarts under load, orderly or after a crash, is reconnected to, and no acknowledged change is lost', async () => {
    const postgres = await startOwnPostgres({ fsync: true })
    cleanUp(() => postgres.stop())
    const installation = await installOn({ DATABASE_URL: postgres.url, MASTER_KEY: MASTER_KEY.toString('base64') })
    const db = await openPostgres(postgres.url, databaseClock, { connections: 2, statementTimeoutMs: 60_000 })
    await assertNothingLost(installation, db, async (another) => {
      for (const how of ['orderly', 'crash'] as const) {
        await another()
        await postgres.restart(how)
      }
      await another()
    })
    await db.close()
  })

  test('goes away while it stores that a mail is handed over loses no mail about a comment, and none is sent twice', async () => {
    const post = await startMailServer()
    const { client, door, store } = await install({ SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example' })
    await client.call(setProfiles, { users: [{ userId: 'ada', email: 'ada@example.com' }] })
    await client.call(updateEmailConfig, { useEmailService: true, emailServiceConfig: { type: 'default' } })
    const db = await store.open()
    // The commit of the mark waits until its response can only be lost.
    await db.query(`create function wait_at_commit() returns trigger language plpgsql as $$
      begin if new.handed_over_at is not null and old.handed_over_at is null then perform pg_advisory_xact_lock(1); end if; return null; end $$`)
    await db.query(`create constraint trigger slow_mark after update on mails deferrable initially deferred
      for each row execute function wait_at_commit()`)
    const ada = { userId: 'ada', contact: { userId: 'ada' } }
    const root = { from: { userId: 'bob' }, taggedUserContacts: [ada], triggerNotification: true }
    const commentAnnotations = [{ annotationId: 't', commentData: [root] }]
    const isFound = async (what: string) => (await db.query(`select ${what}`)).rows.length > 0
    await db.transaction(async (session) => {
      await session.query('select pg_advisory_xact_lock(1)')
      const where = { organizationId: 'acme', documentId: 'plan', createDocument: true }
      await client.call(addThreads, { ...where, commentAnnotations })
      const waits = `from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
      await until('a mark that is committed', () => isFound(waits))
      door.hang()
    })
    await until('the mark', () => isFound('from mails where handed_over_at is not null'))
    await door.shut()
    await sleep(3_000) // longer than the lease of other jobs
    await db.query('drop trigger slow_mark on mails')
    await door.open()
    await until('a mail that is finished', () => isFound('from mails where finished_at is not null'))
    assert.deepEqual(
      post.mails.map(({ recipients }) => recipients),
      [['ada@example.com']],
    )
    assert.deepEqual((await db.query('select state, error from mails')).rows, [{ state: 'sent', error: null }])
    await db.close()
  })

  test('hangs makes the server not ready before the database continues, whatever the time limit of statements', async () => {
    const { server, door } = await install({ STATEMENT_TIMEOUT_MS: '3600000' })
    door.hang()
    // A probe that waits until then would get the answer that the server is ready.
    const continued = setTimeout(() => door.open(), 15_000)
    await assertNotReady(server)
    clearTimeout(continued)
    await door.open()
    await until('readiness after the database continued', async () => (await fetch(`${server.url}/readyz`)).ok)
  })

  test('hangs makes calls DEADLINE_EXCEEDED or UNAVAILABLE, never denied, until it continues', async () => {
    const installation = await install()
    const { server, door } = installation
    door.hang()
    const calls = Promise.all([callEverything(installation), assertEvaluationUnavailable(installation)])
    await assertNotReady(server)
    assertOnlyUnavailable((await calls)[0])
    await door.open()
    await assertRecovered(installation)
  })

  test('is slow makes access checks DEADLINE_EXCEEDED, never denied, until it is fast again', async () => {
    const installation = await install()
    const db = await installation.store.open()
    await db.transaction(async (session) => {
      await session.query('lock table grants in access exclusive mode')
      const answers = await askEverything(installation)
      assertOnlyUnavailable(answers)
      assert.ok(answers.some(({ body }) => body.error.status === 'DEADLINE_EXCEEDED'))
      await assertEvaluationUnavailable(installation)
    })
    await db.close()
    await assertRecovered(installation)
  })
})
