/**
 * `commonhold buckets move` is killed at every step, started again, undone before and after the switch, while two servers serve the bucket
 * under load and a reader follows the feed with page tokens. Nothing acknowledged is lost, no answer is stale, the reader gets every
 * event once and in order. `npm run soak -- buckets` makes 20 moves (`--moves N`), and prints a line for each.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, it } from 'vitest'
import { startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import {
  emptyDatabase,
  Load,
  query,
  readFeed,
  runCommand,
  settingsOf,
  startBucketPostgres,
  startCommand,
} from './bucket-world.ts'
import { FeedReader } from './feed-reader.ts'

const MOVES = Number(process.env.BUCKET_MOVES ?? (FULL ? 20 : 4))

const table: string[] = []
afterAll(() => {
  if (process.env.BUCKET_MOVES) process.stdout.write(`${table.join('\n')}\n`)
})

/** Kills the command when its output matches, or after a time; returns what it said. */
async function killedAt(home: string, args: string[], when: RegExp | number): Promise<string> {
  const command = startCommand(home, ...args)
  let isOver = false
  void command.exited.then(() => {
    isOver = true
  })
  const end = performance.now() + (typeof when === 'number' ? when : 60_000)
  while (!isOver && performance.now() < end)
    if (typeof when !== 'number' && when.test(command.output.stdout)) break
    else await sleep(2)
  const { stdout, stderr } = await command.kill('SIGKILL')
  return stdout + stderr
}

/** The lines after which the command is killed, and random times in between. */
const DEATHS: (RegExp | number)[] = [
  /^Moving/m,
  /tables copied/,
  /([1-9]\d*) of \1 tables copied/,
  /Writes waited/,
  /is at /,
]

describe('a move that is killed', () => {
  it('goes on, or is undone, and nothing is lost', async () => {
    const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])
    await query(one.url, `do $$ begin for n in 1..30000 loop perform pg_current_xact_id(); commit; end loop; end $$`)
    const home = await emptyDatabase(one, 'home')
    const places = [await emptyDatabase(one, 'bucket'), await emptyDatabase(other, 'bucket')] as const
    const first = await startProcess(settingsOf(home))
    await runCommand(home, 'create', 'eu1', '--url', places[0])
    const second = await startProcess(settingsOf(home))
    const key = await first.client.newKey({ defaultDocumentAccessType: 'restricted' })
    const clients = [key, second.client.with(key.headers)]
    const reader = new FeedReader(clients)
    const load = new Load(clients, 4)
    let [kills, undone, longestWait] = [0, 0, 0]
    let at: 0 | 1 = 0
    const noteWait = (text: string) => {
      for (const [, ms] of text.matchAll(/Writes waited (\d+) ms/g)) longestWait = Math.max(longestWait, Number(ms))
    }
    for (let move = 0; move < MOVES; move++) {
      const to: 0 | 1 = at === 0 ? 1 : 0
      const args: string[] = ['move', 'eu1', '--to', places[to]]
      const death =
        MOVES > DEATHS.length * 2 && move % 2 === 1 ? 200 + Math.random() * 3_000 : DEATHS[move % DEATHS.length]
      const said: string[] = [await killedAt(home, args, death ?? 0)]
      kills++
      if (move % 3 === 1) {
        // Undone: before the switch it stays, after the switch it comes back. The undo is killed, too, and started again.
        said.push(await killedAt(home, ['move', 'eu1', '--undo'], 100 + Math.random() * 3_000))
        kills++
        const again = await startCommand(home, 'move', 'eu1', '--undo').exited
        said.push(again.stdout + again.stderr)
        if (again.code !== 0) assert.match(again.stderr, /is not being moved/, said.join('\n'))
        undone++
      } else {
        const again = await startCommand(home, ...args).exited
        said.push(again.stdout + again.stderr)
        if (again.code !== 0) assert.match(again.stderr, /was moved to|is at .* already/, said.join('\n'))
        at = to
      }
      for (const text of said) noteWait(text)
      await sleep(400)
      const confirmed = await startCommand(home, 'move', 'eu1', '--confirm').exited
      if (confirmed.code !== 0) assert.match(confirmed.stderr, /has no move to confirm/, said.join('\n'))
      const keys = await query(places[at], `select count(*)::int as count from api_keys`).catch(() => [])
      if (keys[0]?.count !== 2) at = at === 0 ? 1 : 0
      assert.deepEqual(await query(places[at], `select count(*)::int as count from api_keys`), [{ count: 2 }])
      const [left] = await query(home, 'select count(*)::int as count from bucket_moves')
      assert.equal(left?.count, 0, said.join('\n'))
      const before = load.acknowledged
      for (let tries = 0; load.acknowledged === before && tries < 200; tries++) await sleep(100)
      assert.notEqual(load.acknowledged, before, `no change is acknowledged after the move ${move}: ${said.join('\n')}`)
      assert.deepEqual([...load.wrong, ...reader.wrong], [], said.join('\n'))
    }
    await load.stop()
    const verified = await load.verify(key)
    const events = await readFeed(key)
    await reader.stopAfter(events)
    assert.deepEqual([...load.wrong, ...reader.wrong], [])
    // The counter of the other server began lower: without raising it, tokens would be refused, or skip events later.
    assert.equal(reader.restarts, 0, 'a page token was refused')
    table.push(
      `${MOVES} moves, ${kills} kills, ${undone} undone: ${load.acknowledged} changes acknowledged, ${load.refused} refused, 0 lost of ${verified} verified, 0 wrong; ${events.length} events in the feed, read once and in order with page tokens over all moves; longest pause ${Math.round(load.longestPauseMs)} ms, writes waited at most ${longestWait} ms`,
    )
  })
})
