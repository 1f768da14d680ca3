/** Following the events of API keys: each exactly once and in order, with every kind of failure, and with a handler that writes. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { migrate, readMigrations } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log.ts'
import type { Client } from '#testing/client.ts'
import { OTHER_READER, READER } from '#testing/consumers.ts'
import { assertRecent } from '#testing/recent.ts'
import { patient } from '#testing/run/mode.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { type Consumer, type FeedEvent, followEvents, startFollowing, stopFollowing } from './feed.ts'
import { rebaseAfterRestore } from './feed-restore.ts'
import { CLAIM_FOLLOWERS } from './feed-statements.ts'
import { recordStreamEvents } from './record.ts'

/** A database of its own, because the tests of a restore renumber every event. */
const server = await startServer()
const { db } = server
const lines: string[] = []
const log = createLog('warn', { write: (line) => lines.push(line) })

let key: Client
let apiKeyId: string
beforeEach(async () => {
  key = await server.newKey()
  apiKeyId = apiKeyOf(key)
  lines.length = 0
})

const start = (consumer: Consumer = READER, id = apiKeyId) =>
  db.transaction((session) => startFollowing(session, consumer, id))
const grant = (userId: string, caller = key) =>
  caller.call(addPermissions, {
    user: { userId },
    permissions: { resources: [{ type: 'organization', id: 'acme' }] },
  })
const addOrganization = (organizationId: string, caller = key) =>
  caller.call(addOrganizations, { organizations: [{ organizationId }] })

/**
 * A database in which another transaction commits after each claim of a follower, so that the follower's own
 * transaction is not the latest.
 */
const overtaken: Db =
  ENGINE === 'embedded' // it has one connection
    ? db
    : Object.create(db, {
        run: { value: db.run.bind(db) } satisfies { value: Db['run'] },
        transaction: {
          value: (work, options) =>
            db.transaction(async (session) => {
              const run: Session['run'] = async (statement, values) => {
                const rows = await session.run(statement, values)
                if (statement === CLAIM_FOLLOWERS) await db.query('select pg_current_xact_id()')
                return rows
              }
              return work({ ...session, run })
            }, options),
        } satisfies { value: Db['transaction'] },
      })

/** Follows until `enough` events have arrived, and a little longer. */
async function follow(
  enough: number,
  handle: (session: Session, events: FeedEvent[]) => Promise<void> = async () => {},
  consumer: Consumer = READER,
): Promise<FeedEvent[]> {
  const got: FeedEvent[] = []
  const stop = followEvents(
    { db: overtaken, log },
    consumer,
    async (session, followed) => {
      const events = followed.flatMap((one) => one.events)
      await handle(session, events)
      got.push(...events) // only a lost race could fail after this, and the tests here cause none
    },
    { intervalMs: 20 },
  )
  for (const deadline = Date.now() + patient(30_000); got.length < enough && Date.now() < deadline; ) await sleep(10)
  await sleep(100)
  await stop()
  return got
}

const named = (events: readonly FeedEvent[]) => events.map(({ type, userId }) => `${type} ${userId ?? ''}`.trim())

describe('followEvents', () => {
  it('passes each event of a followed key once, in order, as stored', async () => {
    await grant('before')
    await start()
    await grant('ada')
    await grant('grace')
    const [first, ...others] = await follow(2)
    assert.deepEqual(named(others), ['permission.added grace'])
    const { stream, changedAt, ...rest } = first ?? assert.fail('no event')
    assert.match(stream, /^[0-9a-f-]{36}$/)
    assertRecent(changedAt)
    assert.deepEqual(rest, {
      sequence: 3,
      type: 'permission.added',
      apiKeyId,
      organizationId: 'acme',
      resourceKind: 'organization',
      resourceId: 'acme',
      userId: 'ada',
      actor: { apiKey: apiKeyId, token: 'Default Auth Token', address: '127.0.0.1' },
      before: null,
      after: { accessRole: 'editor', expiresAt: null },
    })
    await grant('linus')
    assert.deepEqual(named(await follow(1)), ['permission.added linus'])
    assert.deepEqual(await follow(0), [])
  })

  it('passes no events of keys that are not or no longer followed, and follows separately for each consumer', async () => {
    const other = await server.newKey()
    await start()
    await start(OTHER_READER)
    await grant('ada')
    await addOrganization('elsewhere', other)
    assert.deepEqual(named(await follow(2)), ['organization.added', 'permission.added ada'])
    await db.transaction((session) => stopFollowing(session, READER, apiKeyId))
    await grant('grace')
    assert.deepEqual(await follow(0), [])
    assert.deepEqual(named(await follow(3, undefined, OTHER_READER)).slice(1), [
      'permission.added ada',
      'permission.added grace',
    ])
  })

  it('begins with the events of the transaction that starts following', async () => {
    const event = { workspaceId: 'w', apiKeyId, actor: { address: '127.0.0.1' } }
    await db.transaction(async (session) => {
      await recordStreamEvents(session, [{ ...event, type: 'api_key.updated' }])
      await startFollowing(session, READER, apiKeyId)
      await recordStreamEvents(session, [{ ...event, type: 'api_key.disabled' }])
    })
    assert.deepEqual(named(await follow(2)), ['api_key.updated', 'api_key.disabled'])
    await start() // an existing follower
    assert.deepEqual(await follow(0), [])
  })

  it('also passes events that are written while others are handled', async () => {
    await start()
    await addOrganization('acme')
    const depthOf = ({ after }: FeedEvent) => Number(after?.depth ?? 0)
    const got = await follow(11, async (session, events) => {
      const echoes = events.filter((event) => depthOf(event) < 10).map((event) => ({ depth: depthOf(event) + 1 }))
      const event = { type: 'api_key.updated' as const, workspaceId: 'w', apiKeyId, actor: { address: '127.0.0.1' } }
      await recordStreamEvents(
        session,
        echoes.map((after) => ({ ...event, after })),
      )
    })
    assert.deepEqual(got.map(depthOf), [...Array(11).keys()])
  })

  it('passes more events than fit into one transaction, of many keys', async () => {
    const keys = await Promise.all(Array.from({ length: 25 }, () => server.newKey()))
    for (const [nth, caller] of keys.entries()) {
      await start(READER, apiKeyOf(caller))
      const count = nth === 0 ? 1_200 : 60
      const organizations = Array.from({ length: count }, (_, at) => ({ organizationId: `o${at}` }))
      for (let at = 0; at < count; at += 600)
        await caller.call(addOrganizations, { organizations: organizations.slice(at, at + 600) })
    }
    const got = await follow(1_200 + 24 * 60)
    assert.equal(new Set(got.map(({ stream, sequence }) => `${stream} ${sequence}`)).size, got.length)
    assert.equal(got.length, 1_200 + 24 * 60)
  })

  it('retries failed events without gaps or repeats, while other keys continue', async () => {
    const other = await server.newKey()
    await start()
    await start(READER, apiKeyOf(other))
    await grant('ada')
    await addOrganization('elsewhere', other)
    let failures = 0
    const stored = `create table if not exists handled (place serial, type text)`
    await db.script(stored)
    await follow(3, async (session, events) => {
      for (const { type } of events) await session.query('insert into handled (type) values ($1)', [type])
      if (!events.some((event) => event.apiKeyId === apiKeyId)) return
      if (failures++ < 2) throw new Error('the handler has its bad day')
    })
    const { rows } = await db.query('select type from handled order by place')
    await db.script('drop table handled')
    assert.deepEqual(rows, [
      { type: 'organization.added' },
      { type: 'organization.added' },
      { type: 'permission.added' },
    ])
    assert.equal(failures, 3)
    assert.match(lines.join(''), /"msg":"events could not be handled/)
    assert.match(lines.join(''), new RegExp(apiKeyId))
    assert.doesNotMatch(lines.join(''), new RegExp(`"apiKeyId":"${apiKeyOf(other)}"`))
  })

  it('stops when the key is deleted', async () => {
    await start()
    await db.query('delete from api_keys where api_key_id = $1', [apiKeyId])
    const { rows } = await db.query('select from event_followers where api_key_id = $1', [apiKeyId])
    assert.deepEqual(rows, [])
  })
})

describe('after a dump was restored to another cluster', () => {
  /** How many transactions ahead the original cluster was. */
  const AHEAD = 1_000_000_000
  const ahead = (snapshot: string) => `(
    select (pg_snapshot_xmin(${snapshot})::text::bigint + ${AHEAD}) || ':' || (pg_snapshot_xmax(${snapshot})::text::bigint + ${AHEAD})
           || ':' || coalesce((select string_agg((x::text::bigint + ${AHEAD})::text, ',' order by x) from pg_snapshot_xip(${snapshot}) x), '')
    )::pg_snapshot`
  const restore = () =>
    db.script(`
      update events set tick = tick + ${AHEAD}, written_by = (written_by::text::bigint + ${AHEAD})::text::xid8 where written_by > '2';
      update organizations set event_tick = event_tick + ${AHEAD};
      update event_streams set event_tick = event_tick + ${AHEAD};
      update event_followers set seen = ${ahead('seen')}, until = ${ahead('until')}, tick = tick + ${AHEAD}`)
  const reports: [done: number, count: number][] = []
  const restart = () =>
    migrate(db, readMigrations(), (session) =>
      rebaseAfterRestore(session, (done, count) => reports.push([done, count]), 100),
    )
  const positions = async () => (await db.query('select stream, sequence, tick, written_by::text from events')).rows

  it('passes to every follower its unread events, and all later ones', async () => {
    const events = ['1', '2', '3', '4', '5', '6']
    await grant('before')
    await start()
    await start(OTHER_READER)
    for (const user of events.slice(0, 2)) await grant(user)
    await follow(2)
    for (const user of events.slice(2, 4)) await grant(user)
    await follow(4, undefined, OTHER_READER)
    for (const user of events.slice(4)) await grant(user)
    await restore()
    await restart()
    await grant('after')
    const users = (got: FeedEvent[]) => got.map(({ userId }) => userId)
    assert.deepEqual(users(await follow(5)), ['3', '4', '5', '6', 'after'])
    assert.deepEqual(users(await follow(3, undefined, OTHER_READER)), ['5', '6', 'after'])
    const { rows } = await db.query(
      'select user_id from events where api_key_id = $1 and user_id is not null order by tick, stream, sequence',
      [apiKeyId],
    )
    assert.deepEqual(
      (rows as { user_id: string }[]).map(({ user_id }) => user_id),
      ['before', ...events, 'after'],
    )
  })

  it('continues in the middle of a read', async () => {
    await start()
    const organizations = Array.from({ length: 700 }, (_, at) => ({ organizationId: `o${at}` }))
    await key.call(addOrganizations, { organizations })
    let first = 0
    await follow(1, async (_, events) => {
      if (first > 0) throw new Error('no more today')
      first = events.length
    })
    assert.ok(first > 0 && first < 700)
    await restore()
    await restart()
    assert.equal((await follow(700 - first)).length, 700 - first)
    const [, count = 0] = reports.at(-1) ?? []
    assert.ok(count >= 700 && reports.length > 8, 'in steps of 100 events')
    assert.deepEqual([reports.find(([done]) => done > 0)?.[0], reports.at(-1)?.[0]], [100, count])
  })

  it('is detected by the snapshot of a follower alone; without a restore nothing changes', async () => {
    await start()
    await grant('ada')
    const before = await positions()
    await restart()
    assert.deepEqual(await positions(), before)
    await follow(2)
    await db.script(`update event_followers set seen = ${ahead('seen')} where api_key_id = '${apiKeyId}'`)
    await restart()
    await grant('grace')
    assert.deepEqual(named(await follow(1)), ['permission.added grace'])
  })

  it('lets no erasure wait for a transaction of the server before', async () => {
    await start()
    await db.query(
      `insert into user_data_deletions (api_key_id, job_id, user_ids, actor, tasks_count, salt, waits_for)
       values ($1, gen_random_uuid(), '{ada}', '{}', 1, gen_random_uuid(), '99999999999')`,
      [apiKeyId],
    )
    await restart()
    const { rows } = await db.query(
      `select waits_for <= pg_snapshot_xmax(pg_current_snapshot()) as ends from user_data_deletions where api_key_id = '${apiKeyId}'`,
    )
    assert.deepEqual(rows, [{ ends: true }])
  })
})
