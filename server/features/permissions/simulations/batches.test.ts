/** Simulations on a database with one connection: decided in batches, with the result of one statement at one moment. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { simulatePermissions } from '#contract/access/simulations.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Db } from '#platform/db/db.ts'
import { createPageTokens } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { simulateFirstUsers } from './batches.ts'
import { createSimulations } from './simulations.ts'

const server = await sharedServer()
const folder = { type: 'folder' as const, id: 'plans' }
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, nth) => `${prefix}${nth}`)

type Data = DataOf<typeof simulatePermissions>

/** The same database with one connection; `beforeTransaction` runs before each transaction. */
const withOneConnection = (beforeTransaction: () => Promise<unknown> = async () => {}): Db =>
  new Proxy(server.db, {
    get(db, name) {
      if (name === 'connections') return 1
      if (name === 'transaction')
        return async (...given: Parameters<Db['transaction']>) => {
          await beforeTransaction()
          return db.transaction(...given)
        }
      const value = db[name as keyof Db]
      return typeof value === 'function' ? value.bind(db) : value
    },
  })

const callerOf = ({ key }: Acme): Caller => ({
  apiKeyId: apiKeyOf(key) as ApiKeyId,
  workspaceId: 'any' as Caller['workspaceId'],
  defaultAccessType: 'public',
  defaultAccessRole: 'editor',
  hasCommenter: false,
  hasDisabledUsers: false,
  isAdmin: true,
  requireKnownResources: false,
  expiringSoonSeconds: 0,
  actor: { address: '127.0.0.1' },
})

const simulationsOn = (db: Db) => createSimulations({ db, pageTokens: createPageTokens(Buffer.alloc(32, 1)) })

const inBatches = (acme: Acme, db: Db, data: Omit<Data, 'organizationId'>) =>
  simulationsOn(db).simulate(callerOf(acme), { organizationId, ...data })

/** Asserts that all pages are the same as those of one statement. Returns how many changes they have. */
async function assertSame(acme: Acme, data: Omit<Data, 'organizationId'>): Promise<number> {
  let count = 0
  let batchToken: string | undefined
  let statementToken: string | undefined
  do {
    const given = await inBatches(acme, withOneConnection(), { ...data, ...(batchToken && { pageToken: batchToken }) })
    const { body } = await acme.post(simulatePermissions, {
      ...{ organizationId, ...data },
      ...(statementToken && { pageToken: statementToken }),
    })
    assert.deepEqual(given.data, body.result.data)
    count += given.data.changes.length
    batchToken = given.nextPageToken
    statementToken = body.result.nextPageToken
    assert.equal(batchToken === undefined, statementToken === undefined)
  } while (batchToken !== undefined)
  return count
}

async function newCompany(users: number, documents: number): Promise<Acme> {
  const acme = await newAcme(server)
  await acme.addTree({ plans: ['root', 'restricted'] })
  for (let from = 0; from < documents; from += 1_000)
    await acme.addDocuments(
      'plans',
      ...ids(`d${from}-`, Math.min(1_000, documents - from)).map((documentId) => ({ documentId })),
    )
  await acme.grant('folder', 'plans', ...ids('u', users))
  await acme.grant('document', 'd0-1', ...ids('é', 3))
  return acme
}

describe('a simulation on one connection', () => {
  it('of many users is the same as in one statement', async () => {
    const acme = await newCompany(45, 45)
    const changes = await assertSame(acme, {
      accessTypes: [{ resource: folder, accessType: 'public' }],
      remove: ids('u', 30).map((userId) => ({ userId, resource: folder })),
      pageSize: 1_000,
    })
    assert.ok(changes > 1_000)
  })

  it('of few users and very many resources is the same as in one statement', async () => {
    const acme = await newCompany(1, 1_500)
    const changes = await assertSame(acme, {
      remove: [{ userId: 'u0', resource: folder }],
      add: [{ userId: 'é1', resource: folder }],
      pageSize: 1_000,
    })
    assert.ok(changes > 1_250)
  })

  it('starts again when the organization changes, and shows its latest state', async () => {
    const acme = await newCompany(45, 45)
    let transactions = 0
    const db = withOneConnection(async () => {
      if (++transactions === 2) await acme.grant('document', 'd0-2', 'late')
    })
    const { data } = await inBatches(acme, db, {
      accessTypes: [{ resource: folder, accessType: 'organizationPrivate' }],
    })
    const after = await acme.call(simulatePermissions, {
      accessTypes: [{ resource: folder, accessType: 'organizationPrivate' }],
    })
    assert.deepEqual(data, after)
    assert.ok(transactions > 4, String(transactions))
  })

  it('finishes even if the organization keeps changing', async () => {
    const acme = await newCompany(45, 45)
    let changes = 0
    const db = withOneConnection(() => acme.grant('document', 'd0-2', `late${++changes}`))
    const { data } = await inBatches(acme, db, { accessTypes: [{ resource: folder, accessType: 'public' }] })
    assert.ok(data.counts.gained >= 0)
    assert.ok(changes < 20)
  })
})

describe('the count of the first users', () => {
  const opening = {
    organizationId,
    accessTypes: [{ resource: folder, accessType: 'public' as const }],
    includeInside: false,
  }

  it('says that everyone gains access, even if the organization keeps changing', async () => {
    const acme = await newCompany(2, 2)
    let changes = 0
    const db = withOneConnection(() => acme.grant('document', 'd0-1', `late${++changes}`))
    const { users, everyone, complete } = await simulationsOn(db).countUsers(callerOf(acme), opening)
    assert.deepEqual(everyone, { gained: 1, lost: 0 })
    assert.ok(users.gained >= 3, String(users.gained))
    assert.equal(complete, false)
    assert.ok(changes < 20)
  })

  it('is not exact if more resources are affected than a simulation may have', async () => {
    const scope = { version: 1, resources: LIMITS.simulatedPairsMax + 1, users: ['ada'], pairs: [1], now: new Date() }
    const read = async () => [scope] as never[]
    assert.deepEqual(await simulateFirstUsers(read), { counts: undefined, complete: false })
  })
})
