/** The usage of API keys: everything is counted once, by hours, days and months of UTC (rules/keys.md#usage). */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { createApiKey, deleteApiKey, getApiKeys } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { getUsage, listAccountUsage, type UsagePeriod } from '#contract/usage/usage.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { createLog } from '#platform/log.ts'
import { type Client, createInProcessClient, pagesOf } from '#testing/client.ts'
import { MASTER_KEY, startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused } from '../../../test/conformance/support/refused.ts'
import { buildApp } from '../../app.ts'
import { countContents } from './contents.ts'

const server = await startServer()
const { db } = server
const organizationId = 'acme'
let workspaces = 0
const document = (id: string) => ({ type: 'document' as const, id, organizationId })
const at = (time: string) => server.clock.set(new Date(time))

let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
afterEach(() => server.clock.set(null))

const periods = async (granularity: 'hour' | 'day' | 'month' = 'day', range: object = {}, client = key) =>
  (await client.call(getUsage, { granularity, ...range })).periods
const today = async (client = key): Promise<Partial<UsagePeriod>> => (await periods('day', {}, client)).at(-1) ?? {}
const grant = (userId: string, ...ids: string[]) =>
  key.call(addPermissions, { user: { userId }, permissions: { resources: ids.map(document) } })

/** Returns the owner of a new workspace, a key of it, and a function that adds keys. */
async function newWorkspace() {
  const ownerEmail = `usage${++workspaces}@example.com`
  const { id, authToken } = await server.client.call(createWorkspace, { ownerEmail })
  const owner = server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  async function addKey(): Promise<Client> {
    const created = await owner.call(createApiKey, { ownerEmail, type: 'testing', createAuthToken: true })
    return server.client.with({ 'x-service-api-key': created.apiKey, 'x-service-auth-token': created.authToken ?? '' })
  }
  return { owner, key: await addKey(), addKey }
}

describe('usage', () => {
  it('counts calls, refusals, checks, active users and the contents of the key', async () => {
    await grant('ada', 'a', 'b')
    await key.call(addUsers, { organizationId, users: [{ userId: 'grace' }] })
    await key.call(checkPermissions, {
      checks: ['ada', 'ada', 'bob'].map((userId) => ({ userId, resource: document('a') })),
    })
    await key.call(getPermissions, { organizationId, userIds: ['ada', 'cy', 'cy'], documentIds: ['a', 'b'] })
    refused(await key.post(addOrganizations.path, { organizations: 1 }), 'INVALID_ARGUMENT')
    refused(await key.post(getPermissions.path, { organizationId: 'none', userIds: ['eve'] }), 'NOT_FOUND')
    const { period, startsAt, ...counted } = await today()
    assert.deepEqual(counted, {
      ...{ calls: 6, refused: 2, failed: 0, checks: 9, webhooks: 0, mails: 0, activeUsers: 3 },
      ...{ organizations: 1, documents: 2, users: 1, threads: 0 },
    })
    assert.equal(new Date(startsAt ?? 0).toISOString(), `${period}T00:00:00.000Z`)
    const [hour] = await periods('hour')
    assert.deepEqual(
      { ...hour, period: '', startsAt: 0 },
      {
        ...{ period: '', startsAt: 0, calls: 7, refused: 2, failed: 0, checks: 9, webhooks: 0 },
      },
    )
  })

  it('counts AuthZEN evaluations that were decided, and users who call with a user token or got one', async () => {
    await grant('ada', 'a')
    const [subject, action, resource] = [
      { type: 'user', id: 'ada' },
      { name: 'view' },
      { type: 'document', id: 'a', properties: { organizationId } },
    ]
    const authZen = (path: string, body: object) => key.raw(`/access/v1/${path}`, JSON.stringify(body))
    assert.equal((await authZen('evaluation', { subject, action, resource })).http, 200)
    const invalid = [{ subject: 1 }, { subject: { type: 'group', id: 'dan' } }, { subjet: { type: 'user', id: 'eve' } }]
    const evaluations = [{}, { subject: { type: 'user', id: 'bob' } }, ...invalid]
    assert.equal((await authZen('evaluations', { subject, action, resource, evaluations })).http, 200)
    const { token } = await key.call(generateToken, { userId: 'cy' })
    const user = server.client.with({ authorization: `Bearer ${token}` })
    await user.call(checkPermissions, { checks: [{ resource: document('a') }, { resource: document('b') }] })
    const { calls, checks, activeUsers } = await today()
    assert.deepEqual({ calls, checks, activeUsers }, { calls: 5, checks: 5, activeUsers: 3 })
  })

  it('counts calls with wrong credentials for nobody, and calls beyond the scope as refused', async () => {
    const { owner, key: reached } = await newWorkspace()
    key = reached
    const apiKey = apiKeyOf(key)
    const token = `${key.headers['x-service-auth-token']}`
    const other = await server.newKey()
    for (const wrong of [
      `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
      other.headers['x-service-auth-token'] ?? '',
    ])
      refused(
        await server.client.with({ ...key.headers, 'x-service-auth-token': wrong }).post(getUsage.path, {}),
        'UNAUTHENTICATED',
      )
    refused(await server.client.with({ 'x-service-api-key': apiKey }).post(getUsage.path, {}), 'INVALID_ARGUMENT')
    refused(
      await server.client
        .with({ 'x-service-api-key': apiKey, authorization: 'Bearer a.b.c' })
        .post(getPermissions.path, {}),
      'UNAUTHENTICATED',
    )
    await key.post('/console/overview/get', {})
    assert.equal((await today()).calls, 0)
    assert.equal((await today(other)).calls, 0)
    const { authToken } = await owner.call(createAuthToken, { apiKey, name: 'Reader', scopes: ['read'] })
    const reader = server.client.with({ ...key.headers, 'x-service-auth-token': authToken.token })
    refused(await reader.post(addOrganizations.path, { organizations: [{ organizationId }] }), 'PERMISSION_DENIED')
    const { calls, refused: refusals } = await today()
    assert.deepEqual([calls, refusals], [2, 1])
  })

  it('keeps hours, days and months of UTC apart, and adds to an earlier hour when the clock jumps back', async () => {
    const counts = async (granularity: 'hour' | 'day' | 'month', from: string) =>
      (await periods(granularity, { from: Date.parse(from) })).map(({ period, calls }) => [period, calls])
    at('2026-02-28T23:59:59.900Z')
    await grant('ada', 'a')
    await periods()
    at('2026-03-01T00:00:00Z')
    await grant('ada', 'a')
    await grant('ada', 'a')
    await periods()
    at('2026-02-28T23:10:00Z')
    await grant('ada', 'a')
    await periods()
    at('2026-03-01T00:30:00Z')
    // Each read is a call that is counted after it.
    assert.deepEqual(await counts('hour', '2026-02-01T00:00:00Z'), [
      ['2026-02-28T23:00Z', 3],
      ['2026-03-01T00:00Z', 4],
    ])
    assert.deepEqual(await counts('day', '2026-02-01T00:00:00Z'), [
      ['2026-02-28', 3],
      ['2026-03-01', 5],
    ])
    assert.deepEqual(await counts('month', '2026-02-10T00:00:00Z'), [
      ['2026-02', 3],
      ['2026-03', 6],
    ])
    assert.deepEqual(await counts('month', '2026-03-10T00:00:00Z'), [['2026-03', 7]])
    const until = await periods('day', { from: Date.parse('2026-02-01'), to: Date.parse('2026-03-01') })
    assert.deepEqual(
      until.map(({ period }) => period),
      ['2026-02-28'],
    )
  })

  it('merges the active users of days into those of a month, and keeps the last count of stored objects', async () => {
    const check = (...userIds: string[]) =>
      key.call(checkPermissions, { checks: userIds.map((userId) => ({ userId, resource: document('a') })) })
    at('2026-05-10T12:00:00Z')
    await grant('ada', 'a')
    await check('ada', 'bob')
    await periods()
    await countContents(db)
    at('2026-05-11T12:00:00Z')
    await grant('ada', 'b', 'c')
    await check('bob', 'cy')
    const [month] = await periods('month')
    assert.deepEqual([month?.activeUsers, month?.documents], [3, 3])
    const days = await periods('day')
    assert.deepEqual(
      days.map(({ activeUsers, documents }) => [activeUsers, documents]),
      [
        [2, 1],
        [2, 3],
      ],
    )
  })

  it('counts stored objects again before their count is an hour old', async () => {
    const documents = async () => {
      await countContents(db)
      const { rows } = await db.query('select documents from usage_days where api_key_id = $1', [apiKeyOf(key)])
      return Number((rows as [{ documents: number }])[0].documents)
    }
    at('2026-05-10T12:00:00Z')
    await grant('ada', 'a')
    assert.equal(await documents(), 1)
    await grant('ada', 'b')
    at('2026-05-10T12:49:00Z')
    assert.equal(await documents(), 1)
    at('2026-05-10T12:50:00.001Z') // the job begins every ten minutes
    assert.equal(await documents(), 2)
  })

  it('counts today once, also beside a day of a clock that was set back', async () => {
    const [today, tomorrow] = ['2026-05-11', '2026-05-12'] as const
    const counts = async (granularity: 'day' | 'month') =>
      (await periods(granularity, { to: Date.parse('2026-06-01') })).map(({ period, calls, mails, documents }) => [
        ...[period, calls > 0, mails, documents],
      ])
    at(`${today}T12:00:00Z`)
    await grant('ada', 'a')
    await periods()
    at(`${tomorrow}T12:00:00Z`)
    await periods()
    await countContents(db)
    await db.query('update usage_days set mails = 3 where api_key_id = $1', [apiKeyOf(key)])
    at(`${today}T13:00:00Z`)
    await grant('ada', 'b', 'c')
    assert.deepEqual(await counts('month'), [['2026-05', true, 6, 3]])
    assert.deepEqual(await counts('day'), [
      [today, true, 3, 3],
      [tomorrow, true, 3, undefined],
    ])
    await db.query('delete from usage_days where api_key_id = $1 and day = $2', [apiKeyOf(key), today])
    assert.deepEqual(
      (await counts('day')).map(([period]) => period),
      [today, tomorrow],
    )
  })

  it('adds up what several processes have counted, and writes the rest when a server stops', async () => {
    const other = await buildApp({ config: server.config, masterKey: MASTER_KEY, db, log: createLog('error') })
    const clients = [key, createInProcessClient(other.http).with(key.headers)]
    await Promise.all(
      clients.map((client) => client.call(checkPermissions, { checks: [{ userId: 'ada', resource: document('a') }] })),
    )
    await clients[1]?.call(checkPermissions, { checks: [{ userId: 'bob', resource: document('a') }] })
    await other.stop()
    const { calls, checks, activeUsers } = await today()
    assert.deepEqual({ calls, checks, activeUsers }, { calls: 3, checks: 3, activeUsers: 2 })
  })

  it('keeps days for 13 months and hours for two days', async () => {
    at('2026-11-26T12:00:00Z')
    await db.query(
      `insert into usage_days (api_key_id, day, calls) select $1, day::date, 1
         from generate_series('2025-09-01'::timestamp, '2026-11-25', interval '1 day') day`,
      [apiKeyOf(key)],
    )
    await db.query(
      `insert into usage_hours (api_key_id, hour, calls) select $1, hour, 1
         from generate_series('2026-11-20T00:00Z'::timestamptz, '2026-11-26T11:00Z', interval '1 hour') hour`,
      [apiKeyOf(key)],
    )
    await countContents(db)
    const first = async (granularity: 'hour' | 'day' | 'month') => (await periods(granularity, { from: 0 }))[0]?.period
    assert.deepEqual(
      [await first('hour'), await first('day'), await first('month')],
      ['2026-11-24T12:00Z', '2025-10-01', '2025-10'],
    )
    assert.equal((await periods('month')).length, 13)
    assert.equal((await periods('day')).length, 30)
    assert.equal((await periods('hour')).length, 24)
  })

  it('takes less than a kilobyte for a key and day, with all users that a sketch can hold', async () => {
    const checks = Array.from({ length: 1_000 }, (_, nth) => ({ userId: `user-${nth}`, resource: document('a') }))
    await key.call(checkPermissions, { checks })
    const { activeUsers = 0 } = await today()
    assert.ok(Math.abs(activeUsers - 1_000) < 100, `${activeUsers} of 1000`)
    await db.query(
      `insert into usage_days (api_key_id, day, calls, checks, mails, organizations, documents, users, threads, counted_at, active_users)
       select d.api_key_id, d.day - g, 1e12, 1e12, 1e9, 1e9, 1e9, 1e9, 1e9, now(), d.active_users from usage_days d, generate_series(1, 390) g
        where d.api_key_id = $1`,
      [apiKeyOf(key)],
    )
    await db.query('vacuum full usage_days')
    const { rows } = await db.query(
      `select pg_total_relation_size('usage_days') / (select count(*) from usage_days) as bytes`,
    )
    const [{ bytes }] = rows as [{ bytes: number }]
    assert.ok(bytes <= 1_024, `${bytes} bytes a key and day`)
  })

  it('drops the calls of a key that was deleted before they were written, and still writes the others', async () => {
    const { owner, key: doomed } = await newWorkspace()
    await doomed.call(addOrganizations, { organizations: [{ organizationId }] })
    const [{ apiKeyName } = { apiKeyName: '' }] = await owner.call(getApiKeys, { apiKeys: [apiKeyOf(doomed)] })
    await owner.call(deleteApiKey, { apiKey: apiKeyOf(doomed), apiKeyName })
    await grant('ada', 'a')
    assert.equal((await today()).calls, 1)
    const { rows } = await db.query('select from usage_days where api_key_id = $1', [apiKeyOf(doomed)])
    assert.equal(rows.length, 0)
  })
})

describe('the usage of a workspace', () => {
  it('lists every key of the workspace and no other, page by page', async () => {
    const { owner, key: first, addKey } = await newWorkspace()
    const [{ id: unused } = { id: '' }] = (await owner.call(getApiKeys, {})).filter(({ id }) => id !== apiKeyOf(first))
    const keys = [first, await addKey(), await addKey()]
    for (const one of keys) await one.call(addOrganizations, { organizations: [{ organizationId }] })
    await grant('ada', 'a')
    const pages: string[][] = []
    for await (const { data } of pagesOf((pageToken) =>
      owner.post(listAccountUsage.path, { pageSize: 2, pageToken }),
    )) {
      const listed: { apiKey: string; periods: UsagePeriod[] }[] = data.keys
      pages.push(listed.map(({ apiKey, periods: found }) => `${apiKey} ${found[0]?.calls}`))
    }
    assert.deepEqual(pages.flat().sort(), [...keys.map((one) => `${apiKeyOf(one)} 1`), `${unused} undefined`].sort())
    assert.deepEqual(
      pages.map(({ length }) => length),
      [2, 2],
    )
    const { keys: named } = await owner.call(listAccountUsage, {
      apiKeys: [apiKeyOf(keys[0] as Client), apiKeyOf(key)],
    })
    assert.deepEqual(
      named.map(({ apiKey }) => apiKey),
      [apiKeyOf(keys[0] as Client)],
    )
  })
})
