/**
 * Races between writers: several coalescers on one database, as in several processes, with calls at random times. Their
 * order is not known beforehand, but the events define one: replayed in order, they produce the stored state.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { ACCESS_ROLES } from '#contract/access/permissions.ts'
import { sweepExpired } from '#features/permissions/expiry/expiry.ts'
import { createPermissions } from '#features/permissions/grants/operations.ts'
import { createDocuments } from '#features/resources/documents/operations.ts'
import { createPageTokens } from '#platform/secrets/page-token.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { lockOrganization } from '#tenancy/writes/organization.ts'
import { createStore, ENGINE, MASTER_KEY } from '#testing/server.ts'
import { assertStructure } from '../matrix/structure.ts'
import type { ModelEvent } from './serial-model.ts'
import { createCaller, DOCUMENTS, FOLDERS, stateOf, USERS } from './serial-world.ts'

const RUNS = 12
const EXPIRED = 1_000
const WRITERS = 3

const { db, remove } = await createStore()
afterAll(async () => {
  await db.close()
  await remove()
})
const caller = await createCaller(db)
const permissions = Array.from({ length: WRITERS }, () => createPermissions(db))
const documents = Array.from({ length: WRITERS }, () =>
  createDocuments({ db, pageTokens: createPageTokens(MASTER_KEY) }),
)

const moment = { writer: fc.nat({ max: WRITERS - 1 }), waitMs: fc.constantFrom(0, 0, 0, 1, 3) }
const pause = (waitMs: number) => (waitMs === 0 ? tick() : sleep(waitMs))
let runs = 0

describe('permissions.add and permissions.remove', () => {
  const call = fc.record({
    ...moment,
    removes: fc.constantFrom(false, false, true),
    user: fc.constantFrom(...USERS),
    organization: fc.nat({ max: 1 }),
    /** In random order: writers that lock in the order of their rows would deadlock. */
    resources: fc.shuffledSubarray(
      [
        ...FOLDERS.map((id) => ({ type: 'folder' as const, id })),
        ...DOCUMENTS.map((id) => ({ type: 'document' as const, id })),
      ],
      { minLength: 1 },
    ),
    accessRole: fc.constantFrom(...ACCESS_ROLES),
    expiresAt: fc.option(fc.constantFrom(EXPIRED, 2_000_000_000, 2_000_000_100), { nil: undefined }),
  })

  /** Sweeps as two processes do, until the returned function is called, which sweeps the rest. */
  function startSweeping(): () => Promise<void> {
    let sweeping = true
    const sweep = () => sweepExpired({ db, keptDays: 0 })
    const sweepers = [1, 2].map(async () => {
      for (; sweeping; await tick()) await sweep()
    })
    return async () => {
      sweeping = false
      await Promise.all(sweepers)
      await sweep()
    }
  }

  it('lose no acknowledged grant and no expiry, and write events that produce the stored state', async () => {
    const property = fc.asyncProperty(fc.array(call, { minLength: 30, maxLength: 80 }), async (calls) => {
      const organizations = [`race${runs}-0`, `race${runs}-1`]
      runs++
      const asked = new Set<string>()
      const answers: Promise<unknown>[] = []
      const swept = startSweeping()
      for (const { writer, waitMs, removes, user, organization, resources, accessRole, expiresAt } of calls) {
        await pause(waitMs)
        // Both organizations: calls that span them arrive in either order.
        const named = organizations.flatMap((organizationId) =>
          resources.map((resource) => ({ ...resource, organizationId })),
        )
        const ordered = organization === 0 ? named : named.toReversed()
        const operations = permissions[writer]
        if (operations === undefined) continue
        if (removes) answers.push(operations.remove(caller, { userId: user, permissions: { resources: ordered } }))
        else {
          for (const { organizationId, type, id } of named)
            asked.add(`${organizationId} ${type} ${id} ${user} ${expiresAt === undefined ? 'standing' : 'temporary'}`)
          const granted = ordered.map((resource) => ({ ...resource, accessRole, expiresAt }))
          answers.push(operations.add(caller, { user: { userId: user }, permissions: { resources: granted } }))
        }
      }
      await Promise.all(answers)
      await swept()

      const { grants, events } = await stateOf(db, caller, organizations)
      const replayed = new Map<string, Replayed>()
      for (const [organization, list] of events)
        for (const { type, kind, id, user, before, after } of list as (ModelEvent & { after: Replayed['held'] })[]) {
          if (!type.startsWith('permission.')) continue
          const isTemporary = ((before ?? after) as NonNullable<Replayed['held']>).expiresAt !== null
          const pair = `${organization} ${kind} ${id} ${user} ${isTemporary ? 'temporary' : 'standing'}`
          const { expiryReported, ...last } = replayed.get(pair) ?? { held: null, expiryReported: false }
          assert.deepEqual(before, last.held, `what an event of ${pair} says was there before`)
          const expires = type === 'permission.expired'
          assert.equal(
            expiryReported,
            isExpired(last.held) && !expires,
            `${type} of ${pair}: each expiry is reported once`,
          )
          replayed.set(pair, expires ? { ...last, expiryReported: true } : { held: after, expiryReported: false })
        }
      const stored = new Map(
        [...replayed].flatMap(([pair, { held, expiryReported }]) =>
          held === null ? [] : [[pair, { ...held, expiryReported }]],
        ),
      )
      for (const [pair, held] of stored)
        assert.equal(held.expiryReported, isExpired(held), `${pair}: its expiry is reported`)
      assert.deepEqual(sorted(grants), sorted(stored), 'what is stored is what the events lead to')
      assert.deepEqual(new Set(replayed.keys()), asked, 'every pair that a call granted has been granted')
      await assertStructure(
        db,
        organizations.map((id) => organizationKey(caller, id)),
      )
    })
    await fc.assert(property, { numRuns: RUNS })
  })
})

/** Returns the state of a grant after the events so far. */
interface Replayed {
  held: { expiresAt: number | null } | null
  expiryReported: boolean
}
const isExpired = (held: Replayed['held']): boolean => held?.expiresAt === EXPIRED

const sorted = (map: ReadonlyMap<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

describe('documents.add', () => {
  const call = fc.record({
    ...moment,
    folderId: fc.constantFrom(...FOLDERS),
    documentIds: fc.shuffledSubarray([...DOCUMENTS, 'd3', 'd4', 'd5'], { minLength: 1 }),
  })

  it('succeeds in exactly one of several concurrent calls that add the same id', async () => {
    const property = fc.asyncProperty(fc.array(call, { minLength: 10, maxLength: 30 }), async (calls) => {
      const organizationId = `race${runs++}`
      const answers: ReturnType<(typeof documents)[number]['add']>[] = []
      for (const { writer, waitMs, folderId, documentIds } of calls) {
        await pause(waitMs)
        const data = { organizationId, createOrganization: true, folderId, createFolder: true }
        const operations = documents[writer]
        if (operations !== undefined)
          answers.push(
            operations.add(caller, { ...data, documents: documentIds.map((documentId) => ({ documentId })) }),
          )
      }
      const results = (await Promise.all(answers)).flatMap(({ data = {} }) => Object.entries(data))
      const wanted = new Set(calls.flatMap(({ documentIds }) => documentIds))
      for (const documentId of wanted) {
        const codes = results
          .filter(([id]) => id === documentId)
          .map(([, { success, code }]) => (success ? 'ok' : code))
        assert.deepEqual(codes.toSorted().reverse(), ['ok', ...codes.slice(1).map(() => 'already-exists')], documentId)
      }
      const { events } = await stateOf(db, caller, [organizationId])
      const added = (events.get(organizationId) ?? []).filter(({ type }) => type === 'document.added')
      assert.deepEqual(added.map(({ id }) => id).sort(), [...wanted].sort(), 'one event for each document')
      await assertStructure(db, [organizationKey(caller, organizationId)])
    })
    await fc.assert(property, { numRuns: RUNS })
  })
})

describe('calls that share a statement', () => {
  const [operations = createPermissions(db)] = permissions
  const grant = (organizationId: string, userId = 'ada') =>
    operations.add(caller, {
      user: { userId },
      permissions: { resources: [{ type: 'organization', id: organizationId }] },
    })
  const holders = async (organizationId: string) =>
    [...(await stateOf(db, caller, [organizationId])).grants.keys()].map((name) => name.split(' ').at(-2))

  it('are not affected by one that the database cannot store', async () => {
    const poisoned = 'a\u0000b'
    const settled = await Promise.allSettled([grant('shared'), grant('shared', poisoned), grant('shared', 'bob')])
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual((await holders('shared')).sort(), ['ada', 'bob'])
  })

  /** The embedded engine has one connection, so nothing waits for a lock. */

  const skip = ENGINE === 'embedded'
  it('do not wait for a long change of another organization', { skip }, async () => {
    await grant('long', 'eve')
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const change = db.transaction(async (session) => {
      await lockOrganization(session, organizationKey(caller, 'long'))
      locked.resolve()
      await released.promise
    })
    await locked.promise
    let isAnswered = false
    const waiting = grant('long').then(() => {
      isAnswered = true
    })
    await Promise.all([grant('other'), grant('third')])
    await grant('other', 'bob')
    assert.equal(isAnswered, false)
    released.resolve()
    await Promise.all([change, waiting])
    assert.deepEqual((await holders('long')).sort(), ['ada', 'eve'])
    assert.deepEqual((await holders('other')).sort(), ['ada', 'bob'])
  })
})
