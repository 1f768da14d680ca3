/** A call leaves neither changes nor waiting statements behind if its caller hangs up, if it takes too long, or if the operator ends it. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addOrganizations, deleteOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { eventually } from '#testing/eventually.ts'
import { patient } from '#testing/run/mode.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { refused } from '../conformance/support/refused.ts'

const server = await startServer({ REQUEST_TIMEOUT_MS: '1500' })
const { db } = server

/** Runs `during` while nobody else can change the organization. */
async function whileLocked(apiKeyId: string | undefined, during: () => Promise<void>): Promise<void> {
  await db.transaction(async (session) => {
    await session.query('select from organizations where api_key_id = $1 for update', [apiKeyId])
    await during()
  })
}

/** Returns the statements that wait, with the names of their calls. */
async function waiting(): Promise<{ pid: number; call: string }[]> {
  const { rows } = await db.query(
    `select pid, application_name as call from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`,
  )
  return rows as { pid: number; call: string }[]
}
const untilWaiting = () => eventually('a waiting statement', async () => (await waiting())[0])
const untilNobodyWaits = () =>
  eventually('no waiting statement', async () => ((await waiting()).length === 0 ? true : undefined))

async function newTenant() {
  const key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
  const post = (signal: AbortSignal, headers: Record<string, string> = {}) =>
    fetch(server.url + deleteOrganizations.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key.headers, ...headers },
      body: JSON.stringify({ data: { organizationIds: ['acme'] } }),
      signal,
    }).then(({ status }) => status)
  const names = async () => (await key.call(getOrganizations, {})).map(({ id }) => id)
  return { key, post, names, apiKeyId: key.headers['x-service-api-key'] }
}

describe('a call that ends early', { skip: ENGINE === 'embedded' }, () => {
  it('is rolled back when its caller hangs up, and so are calls that wait for it', async () => {
    const { post, names, apiKeyId } = await newTenant()
    await whileLocked(apiKeyId, async () => {
      const calls = [1, 2, 3].map(() => {
        const caller = new AbortController()
        return { caller, ended: post(caller.signal).catch((error: Error) => error.name) }
      })
      const { call } = await untilWaiting()
      assert.match(call, /^commonhold organizations\.delete \S+$/)
      for (const { caller, ended } of calls) {
        caller.abort()
        assert.equal(await ended, 'AbortError')
      }
      await untilNobodyWaits()
    })
    assert.deepEqual(await names(), ['acme'])
    assert.equal(await post(AbortSignal.timeout(patient(30_000))), 200)
  })

  it('can be repeated with its Idempotency-Key after its caller hung up', async () => {
    const { post, names, apiKeyId } = await newTenant()
    const once = { 'idempotency-key': 'once' }
    await whileLocked(apiKeyId, async () => {
      const caller = new AbortController()
      const ended = post(caller.signal, once).catch(() => 'aborted')
      await untilWaiting()
      caller.abort()
      await ended
      await untilNobodyWaits()
    })
    assert.deepEqual(await names(), ['acme'])
    assert.equal(await post(AbortSignal.timeout(patient(30_000)), once), 200)
    assert.deepEqual(await names(), [])
  })

  it('is refused with DEADLINE_EXCEEDED after REQUEST_TIMEOUT_MS, and has changed nothing', async () => {
    const { key, apiKeyId, names } = await newTenant()
    await whileLocked(apiKeyId, async () => {
      const update = { organizations: [{ organizationId: 'acme', organizationName: 'Acme' }] }
      const answer = await key.post('/v2/organizations/update', update)
      assert.equal(refused(answer, 'DEADLINE_EXCEEDED').reason, 'took_too_long')
      await untilNobodyWaits()
    })
    assert.deepEqual(await names(), ['acme'])
  })

  it('is rolled back when the operator cancels its statement, which carries its name', async () => {
    const { post, names, apiKeyId } = await newTenant()
    await whileLocked(apiKeyId, async () => {
      const ended = post(AbortSignal.timeout(patient(60_000)))
      const { pid } = await untilWaiting()
      await db.query('select pg_cancel_backend($1)', [pid])
      assert.equal(await ended, 504)
    })
    assert.deepEqual(await names(), ['acme'])
  })
})
