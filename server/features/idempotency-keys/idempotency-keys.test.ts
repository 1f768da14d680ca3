/** A repeated call with an `Idempotency-Key` returns the first response and changes nothing (rules/contract.md#idempotency-keys). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { type Operation, takesIdempotencyKey } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { resetAuthToken } from '#contract/keys/auth-tokens.ts'
import { getEmailConfig } from '#contract/keys/service-configs.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { getDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { type Answer, type Client, createClient } from '#testing/client.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { apiKeyOf, type Callers, newCallers } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'
import { dumpEverything, rowCounts } from '../../../test/conformance/support/tables.ts'
import { DELETE_EXPIRED_ANSWERS } from './statements.ts'

const server = await startServer()
afterEach(() => server.clock.set(null))

const keyed = (client: Client, key: string): Client => client.with({ ...client.headers, 'idempotency-key': key })
const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true'
const named = (organizationName: string) => ({ organizations: [{ organizationId: 'acme', organizationName }] })
const nameOf = async (client: Client): Promise<unknown> => {
  const [organization] = await client.call(getOrganizations, { organizationIds: ['acme'] })
  return organization !== undefined && 'organizationName' in organization ? organization.organizationName : undefined
}

let callers: Callers
let key: Client
beforeAll(async () => {
  callers = await newCallers(server.url)
  key = callers.apiKey
})

/** Counts the rows after background work has finished. */
async function settledCounts(): Promise<Record<string, number>> {
  for (let last = await rowCounts(server.db); ; ) {
    await sleep(50)
    const { rows } = await server.db.query(
      `select from document_migrations where finished_at is null
       union all select from user_data_deletions where finished_at is null limit 1`,
    )
    const counts = await rowCounts(server.db) // after the jobs: one may end in between
    if (rows.length === 0 && JSON.stringify(counts) === JSON.stringify(last)) return counts
    last = counts
  }
}

describe('a repeat', () => {
  const organizationId = 'acme'
  const world: [Operation, object][] = [
    [addOrganizations, { organizations: [{ organizationId }] }],
    [addFolders, { organizationId, folders: [{ folderId: 'plans' }] }],
  ]
  let spareKey: string
  beforeAll(async () => {
    const { workspace } = callers
    spareKey = (await workspace.call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })).apiKey
    for (const [operation, data] of world)
      assert.equal((await key.post(operation.path, data)).http, 200, operation.name)
  })

  for (const operation of OPERATIONS.filter(takesIdempotencyKey))
    it(`of ${operation.name} returns the first response, byte for byte, and changes nothing`, async () => {
      const caller = keyed(callers[operation.credentials], `repeat of ${operation.name}`)
      const data = JSON.parse(JSON.stringify(operation.example).replaceAll('chk_test_example', spareKey))
      const first = await caller.post(operation.path, data)
      const counts = await settledCounts()
      const second = await caller.post(operation.path, data)
      assert.ok(!isReplayed(first) && isReplayed(second))
      assert.equal(`${second.http} ${second.text}`, `${first.http} ${first.text}`)
      assert.equal(second.headers.get('content-type'), first.headers.get('content-type'))
      assert.deepEqual(await settledCounts(), counts)
    })

  it('returns the secret of the first response', async () => {
    const caller = keyed(callers.workspace, 'a new key')
    const data = { ownerEmail: 'ada@example.com', type: 'testing' as const, createAuthToken: true }
    const [first, second] = [await caller.call(createApiKey, data), await caller.call(createApiKey, data)]
    assert.match(first.authToken ?? '', /^cht_/)
    assert.deepEqual(second, first)
    const dump = await dumpEverything(server.db)
    assert.ok(dump['public.idempotency_keys']?.includes('a new key'))
    for (const text of Object.values(dump)) assert.ok(!text.includes(first.authToken ?? ''))
  })

  it('of a refused call returns the same refusal, whatever has changed since', async () => {
    const caller = keyed(key, 'refused')
    const data = { organizationId: 'later', folders: [{ folderId: 'f' }] }
    const first = await caller.post(addFolders.path, data)
    refused(first, 'NOT_FOUND')
    await key.call(addOrganizations, { organizations: [{ organizationId: 'later' }] })
    const second = await caller.post(addFolders.path, data)
    assert.deepEqual([second.http, second.text, isReplayed(second)], [404, first.text, true])
  })

  it('is recognized for all auth tokens of an API key, and for no other API key', async () => {
    const other = await server.newKey()
    for (const client of [key, other])
      assert.ok(!isReplayed(await keyed(client, 'shared').post(addOrganizations.path, named('One'))))
    assert.equal(await nameOf(other), 'One')
    const { newAuthToken } = await callers.workspace.call(resetAuthToken, {
      apiKey: apiKeyOf(key),
      gracePeriodSeconds: 604_800,
    })
    const sibling = key.with({ ...key.headers, 'x-service-auth-token': newAuthToken.token })
    assert.ok(isReplayed(await keyed(sibling, 'shared').post(addOrganizations.path, named('One'))))
  })

  it('is a new call after 24 hours', async () => {
    const caller = keyed(key, 'a day')
    await caller.call(addOrganizations, named('Before'))
    await key.call(addOrganizations, named('Since'))
    const start = Date.now()
    server.clock.set(new Date(start + 24 * 3_600_000 - 60_000))
    assert.ok(isReplayed(await caller.post(addOrganizations.path, named('Before'))))
    server.clock.set(new Date(start + 24 * 3_600_000 + 60_000))
    assert.ok(!isReplayed(await caller.post(addOrganizations.path, named('Before'))))
    assert.equal(await nameOf(key), 'Before')
  })
})

describe('an Idempotency-Key', () => {
  it('that was used for another body or operation is refused', async () => {
    const caller = keyed(key, 'reused')
    await caller.call(addOrganizations, named('First'))
    for (const [operation, data] of [
      [addOrganizations, named('Second')],
      [addPermissions, addPermissions.example],
    ] as const) {
      const answer = await caller.post(operation.path, data)
      refusedField(answer, 'Idempotency-Key', /a different operation or body/)
      assert.equal(answer.body.error.reason, 'idempotency_key_reused')
    }
    assert.equal(await nameOf(key), 'First')
    assert.ok(isReplayed(await caller.post(addOrganizations.path, named('First'))))
  })

  it('must have 1 to 255 printable ASCII characters', async () => {
    for (const bad of ['', 'x'.repeat(256), 'caf\u00e9', 'tab\there']) {
      const answer = await keyed(key, bad).post(addOrganizations.path, named('Never'))
      refusedField(answer, 'Idempotency-Key', /1 to 255 printable ASCII/)
      assert.equal(answer.body.error.reason, 'idempotency_key_invalid')
    }
    for (const good of ['x'.repeat(255), 'with blanks and "quotes" ~'])
      assert.equal((await keyed(key, good).post(addOrganizations.path, named('Good'))).http, 200)
  })

  it('is ignored by reads, and by calls without credentials', async () => {
    const counts = async () => (await rowCounts(server.db))['public.idempotency_keys']
    const before = await counts()
    const odd = 'x'.repeat(300)
    assert.equal((await keyed(key, odd).post(getOrganizations.path, {})).http, 200)
    assert.equal((await keyed(key, odd).post(getDocuments.path, { organizationId: 'acme' })).http, 200)
    assert.equal((await keyed(key, odd).post(getEmailConfig.path, {})).http, 200)
    const anybody = keyed(createClient(server.url), 'one')
    const signUps = [1, 2].map(() => anybody.call(createWorkspace, { ownerEmail: 'twice@example.com' }))
    const [one, two] = await Promise.all(signUps)
    assert.notEqual(one?.id, two?.id)
    assert.equal(await counts(), before)
  })

  it('can be reused if the call did not reach its operation', async () => {
    const caller = keyed(key, 'mended')
    refused(await caller.post(addOrganizations.path, { organizations: [] }), 'INVALID_ARGUMENT')
    refused(await caller.raw(addOrganizations.path, '{"data":'), 'INVALID_ARGUMENT')
    const wrong = caller.with({ ...caller.headers, 'x-service-auth-token': apiKeyOf(key) })
    refused(await wrong.post(addOrganizations.path, named('Mended')), 'UNAUTHENTICATED')
    assert.ok(!isReplayed(await caller.post(addOrganizations.path, named('Mended'))))
  })

  it('can be reused if the call failed, without any effect', async () => {
    const caller = keyed(key, 'broken')
    await key.call(addOrganizations, named('Whole'))
    await server.db.query('alter table idempotency_keys rename column answer_sealed to away')
    const broken = await caller.post(generateToken.path, { userId: 'broken', userProperties: { name: 'Half' } })
    await server.db.query('alter table idempotency_keys rename column away to answer_sealed')
    assert.equal(broken.http, 500)
    const { rows } = await server.db.query(`select from users where user_id = 'broken'`)
    assert.deepEqual(rows, [])
    const data = { userId: 'broken', userProperties: { name: 'Whole' } }
    assert.equal((await caller.post(generateToken.path, data)).http, 200)
  })

  it('makes one change for ten concurrent calls', async () => {
    const caller = keyed(key, 'ten at once')
    const data = { ownerEmail: 'ada@example.com', type: 'testing' as const }
    const owner = keyed(callers.workspace, 'ten at once')
    const before = await rowCounts(server.db)
    const answers = await Promise.all(Array.from({ length: 10 }, () => owner.post(createApiKey.path, data)))
    const made = answers.filter(({ http }) => http === 200)
    assert.equal(new Set(made.map(({ text }) => text)).size, 1)
    for (const answer of answers.filter(({ http }) => http !== 200))
      assert.equal(refused(answer, 'ABORTED').reason, 'idempotency_key_in_use')
    assert.equal((await rowCounts(server.db))['public.api_keys'], (before['public.api_keys'] ?? 0) + 1)
    assert.equal((await caller.post(addOrganizations.path, named('Ten'))).http, 200)
  })
})

describe('stored responses', () => {
  const keysOf = async (apiKey: string) =>
    (await server.db.query('select key from idempotency_keys where caller = $1 order by key', [apiKey])).rows

  it('are deleted with their API key, and with their workspace', async () => {
    const gone = await newCallers(server.url)
    await keyed(gone.apiKey, 'k').call(addOrganizations, named('Gone'))
    await keyed(gone.workspace, 'w').call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })
    const apiKey = apiKeyOf(gone.apiKey)
    const workspaceId = gone.workspace.headers['x-service-workspace-id'] ?? ''
    assert.deepEqual(
      [await keysOf(apiKey), await keysOf(workspaceId)].map((rows) => rows.length),
      [1, 1],
    )
    await server.db.query('delete from api_keys where api_key_id = $1', [apiKey])
    assert.deepEqual(await keysOf(apiKey), [])
    await server.db.query('delete from workspaces where workspace_id = $1', [workspaceId])
    assert.deepEqual(await keysOf(workspaceId), [])
  })

  it('are swept only after they have expired', async () => {
    const caller = await server.newKey()
    await keyed(caller, 'old').call(addOrganizations, named('old'))
    server.clock.set(new Date(Date.now() + 24 * 3_600_000 + 1_000))
    await keyed(caller, 'new').call(addOrganizations, named('new'))
    const [swept] = await server.db.run(DELETE_EXPIRED_ANSWERS)
    assert.ok((swept?.count ?? 0) >= 1)
    assert.deepEqual(await keysOf(apiKeyOf(caller)), [{ key: 'new' }])
  })
})

/** The embedded engine has one connection, in this process. */

const skip = ENGINE === 'embedded'

describe('a call whose connection dies between the change and the commit', { skip }, () => {
  it('leaves neither of them, and its repeat is a new call', async () => {
    const caller = keyed(key, 'died')
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const holder = server.db.transaction(async (session) => {
      await session.query('lock table idempotency_keys in share mode')
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const dying = caller.post(addOrganizations.path, { organizations: [{ organizationId: 'dying' }] })
    const kill = `select pid, pg_terminate_backend(pid) from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock' and query ~ 'insert into idempotency_keys'
                     and clock_timestamp() - query_start > interval '200 ms'`
    let killed: unknown[] = []
    for (let tries = 0; killed.length === 0 && tries < 250; tries++) {
      await sleep(20)
      killed = (await server.db.query(kill)).rows
    }
    released.resolve()
    await holder
    refused(await dying, 'UNAVAILABLE')
    // Its caller learns of the death before the dying connection releases the key.
    const alive = 'select from pg_stat_activity where pid = $1'
    const [{ pid } = { pid: 0 }] = killed as { pid: number }[]
    while ((await server.db.query(alive, [pid])).rows.length > 0) await sleep(5)
    const [dead] = await key.call(getOrganizations, { organizationIds: ['dying'] })
    assert.ok(dead !== undefined && 'code' in dead && dead.code === 'not-found')
    const repeat = await caller.post(addOrganizations.path, { organizations: [{ organizationId: 'dying' }] })
    assert.deepEqual([repeat.http, isReplayed(repeat)], [200, false])
  })
})
