/** Runs failovers under load, and checks the data of the promoted server, readers and receivers: see `failover.test.ts`. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { addPermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { eventually } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { MASTER_KEY } from '#testing/server.ts'
import { dataFor, Load } from './load.ts'
import { Reader, startConsumer } from './receivers.ts'

/** A PostgreSQL server that takes part. */
export interface Database {
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
}

export async function idsOn(database: Database, apiKeyId: string): Promise<string[]> {
  const text = `select replace(stream::text, '-', '') || '-' || sequence as id from events where api_key_id = $1`
  return (await database.query(text, [apiKeyId])).map(({ id }) => String(id)).sort()
}

export interface Round {
  /** An action under load before the failover, such as cutting off a standby. */
  before?: () => Promise<void>
  /** Ends the primary, and resolves when another server was promoted. */
  change(): Promise<Database>
  /** An action under load when answers are right again. */
  after?: (apiKeyId: string) => Promise<void>
  /** Whether acknowledged changes may be lost. */
  mayLose: boolean
  /** Whether a reader may have to start again. */
  mayAnnounce: boolean
}

/** Starts two servers on a database. Rounds are run sequentially; then `row` has the sums of all rounds. */
export async function startTrial(url: string, primary: Database) {
  const settings = {
    DATABASE_URL: url,
    MASTER_KEY: MASTER_KEY.toString('base64'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
  }
  const servers = [await startProcess(settings), await startProcess(settings)] as const
  const key = await servers[0].client.newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addPermissions, dataFor('ada'))
  const receive = await startConsumer(key)
  const callers = [key, servers[1].client.with(key.headers)]
  const apiKeyId = key.headers['x-service-api-key'] ?? ''
  const unreported = await idsOn(primary, apiKeyId)
  const reader = new Reader(key)
  const sums = { rounds: 0, acknowledged: 0, lost: 0, returned: 0, refused: 0, wrong: 0, reported: 0 }
  const readyMs: number[] = []
  const withoutMs: number[] = []

  return {
    async round({ before, change, after, mayLose, mayAnnounce }: Round): Promise<void> {
      const load = new Load(callers)
      await sleep(500)
      await reader.catchUp()
      await before?.() // changes that are acknowledged from here on may be lost
      await sleep(500)
      await reader.catchUp()
      const diedAt = performance.now()
      const promoted = await change()
      const promotedAt = performance.now()
      await eventually('right answers after the promotion', () =>
        load.lastGrantAt > promotedAt && load.lastCheckAt > promotedAt ? true : undefined,
      )
      readyMs.push(performance.now() - promotedAt)
      withoutMs.push(promotedAt - diedAt)
      await after?.(apiKeyId)
      await sleep(300)
      await load.end()
      const stored = new Set((await promoted.query('select principal from grants')).map(({ principal }) => principal))
      const lost = [...load.granted].filter((userId) => !stored.has(userId))
      const returned = [...load.revoked].filter((userId) => stored.has(userId))
      const allowed = [...load.allowed].filter(([, askedAt]) => askedAt > promotedAt).map(([userId]) => userId)
      const round = ++sums.rounds
      assert.ok(allowed.length > 1)
      assert.deepEqual(
        allowed.filter((userId) => !stored.has(userId)),
        [],
        `access that the promoted server does not have, in round ${round}`,
      )
      if (!mayLose) {
        assert.deepEqual(lost, [], `acknowledged grants were lost in round ${round}`)
        assert.deepEqual(returned, [], `revoked access came back in round ${round}`)
        assert.deepEqual(load.wrong, [])
      }
      const announcedBefore = reader.announced
      await reader.catchUp()
      const there = await idsOn(promoted, apiKeyId)
      assert.deepEqual([...reader.seen.keys()].sort(), there, 'the reader has other events than the database')
      const fresh = new Reader(key)
      await fresh.catchUp()
      assert.deepEqual(reader.seen, fresh.seen, 'the reader has events with other contents')
      sums.reported = await receive(there, unreported)
      if (!mayAnnounce) assert.equal(reader.announced, announcedBefore)
      for (const { child } of servers) assert.equal(child.exitCode ?? child.signalCode, null, 'a server ended')
      sums.acknowledged += load.granted.size + load.revoked.size
      sums.lost += lost.length
      sums.returned += returned.length
      sums.wrong += load.wrong.length
      sums.refused += [...load.refused.values()].reduce((sum, count) => sum + count, 0)
    },
    get row(): Record<string, string | number> {
      return {
        times: sums.rounds,
        acknowledged: sums.acknowledged,
        lost: sums.lost,
        'revoked came back': sums.returned,
        'wrong answers': sums.wrong,
        refused: sums.refused,
        'feed announced': reader.announced,
        'webhooks of lost events': sums.reported,
        'without primary, median s': seconds(withoutMs, 0.5),
        'right again, median s': seconds(readyMs, 0.5),
        'right again, max s': seconds(readyMs, 1),
      }
    },
  }
}

function seconds(all: number[], at: number): string {
  const sorted = all.toSorted((one, other) => one - other)
  return ((sorted[Math.min(Math.floor(all.length * at), all.length - 1)] ?? 0) / 1_000).toFixed(1)
}
