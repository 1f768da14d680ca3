/**
 * `commonhold buckets move-key` is killed at every step and started again, while two servers serve the key under load
 * and a reader follows its feed with page tokens. No acknowledged change is lost, no answer is stale, and the reader
 * gets every event once and in order.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { until } from '#testing/eventually.ts'
import { query, report, startCommand } from './bucket-world.ts'
import { held, isWaiting, said } from './held-command.ts'
import { startLoad, startMovingKey } from './load/moving-key.ts'

/** Where the command is killed: after a line, or while it waits for a lock at home or in the database that the key leaves. */
type Death = { after: RegExp } | { at: 'home' | 'source'; table: string }

const DEATHS: Death[] = [
  { after: /^Moving/m },
  { at: 'source', table: 'resources' }, // half of the fence exists
  { after: /are refused/ },
  { after: /grants: / },
  { after: /is copied/ },
  { at: 'home', table: 'key_moves' }, // copied, not closed
  { at: 'source', table: 'signing_keys' }, // closed, with its credentials
  { at: 'home', table: 'key_places' }, // without its credentials, not switched
  { after: /The key is in/ },
  { after: /^Waiting/m },
]

describe('a move of a key that is killed', () => {
  it('continues, and nothing is lost', async () => {
    const { home, bucket, apiKey, clients } = await startMovingKey()
    const { load, nothingWrong, finish } = startLoad(clients)
    await sleep(10_000) // until every process knows of the bucket
    let inBucket = false
    for (const [nth, death] of DEATHS.entries()) {
      const args: string[] = ['move-key', apiKey, ...(inBucket ? ['--to-home'] : ['--to', 'eu1'])]
      const output: string[] = [await killedAt(args, death, { home, source: inBucket ? bucket : home })]
      if (nth < 3 && nth > 0) {
        // Nothing is copied yet.
        const undo = await startCommand(home, 'move-key', apiKey, '--undo').exited
        // A server may have given up the move before.
        assert.match(undo.stdout + undo.stderr, /The key stays in|is not being moved/, output.join('\n'))
      } else {
        const again = await startCommand(home, ...args).exited
        output.push(again.stdout + again.stderr)
        if (again.code !== 0) assert.match(again.stderr, /is in .* already/, output.join('\n'))
        inBucket = !inBucket
      }
      const [left] = await query(home, 'select count(*)::int as count from key_moves where finished_at is null')
      assert.equal(left?.count, 0, output.join('\n'))
      for (const url of [home, bucket])
        assert.deepEqual(await query(url, `select tgname from pg_trigger where tgname like 'moving%'`), [])
      const before = load.acknowledged
      await until(`changes are accepted after ${output.join('\n')}`, () => load.acknowledged > before)
      nothingWrong(output.join('\n'))
      report(`${'table' in death ? death.table : death.after}: ${load.acknowledged} acknowledged`)
    }
    await finish()
  })
})

/** Starts the command and kills it at that step; returns its output. */
async function killedAt(args: string[], death: Death, urls: Record<'home' | 'source', string>): Promise<string> {
  if ('after' in death) {
    const command = startCommand(urls.home, ...args)
    await said(command, death.after)
    const { stdout, stderr } = await command.kill('SIGKILL')
    return stdout + stderr
  }
  const { at, table } = death
  const lock = () => held(urls[at], `lock table ${table} in exclusive mode`)
  // The fence also needs the locks of the other tables for a moment; the copy does not.
  const early = table === 'resources' ? await lock() : undefined
  const command = startCommand(urls.home, ...args)
  if (early === undefined) await said(command, /are refused/)
  const release = early ?? (await lock())
  const ofCommand = `select from pg_stat_activity where application_name = 'commonhold move' and wait_event_type = 'Lock'`
  const waits = async () =>
    at === 'home' ? isWaiting(urls.home, table) : (await query(urls.source, ofCommand)).length > 0
  await until(`the command to wait for ${table}`, waits)
  const { stdout, stderr } = await command.kill('SIGKILL')
  await release()
  return stdout + stderr
}
