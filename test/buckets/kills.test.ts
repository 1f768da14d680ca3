/**
 * `commonhold buckets move` is killed at every step, stopped and continued, started again, and undone before and after
 * the switch, while two servers serve the bucket under all kinds of load; one of them is killed, or sleeps during
 * several moves. No acknowledged change is lost, no answer is stale, readers get every event once and in order, and
 * webhooks at least once. `npm run soak -- buckets/kills` makes 20 moves (`--moves N`, `--from M`: the first M of the
 * sequence are left out), prints everything wrong with its evidence, and a line for each run.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { until } from '#testing/eventually.ts'
import { FULL } from '#testing/run/mode.ts'
import {
  emptyDatabase,
  query,
  report,
  runCommand,
  spendNumbers,
  startBucketPostgres,
  startCommand,
} from './bucket-world.ts'
import { Everything } from './load/everything.ts'
import { Servers } from './load/servers.ts'
import { interrupt, STEPS } from './load/steps.ts'

const MOVES = Number(process.env.BUCKET_MOVES ?? (FULL ? 20 : 4))
const FIRST = Number(process.env.BUCKET_MOVES_FROM ?? 0)
/** The number of transaction numbers that are used up in a database whose counter must be ahead. */
const AHEAD = 60_000

const median = (all: number[]) => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0

/** Returns the state of a database's sessions, of its server's replication and of its move. */
async function lookAround(url: string): Promise<string[]> {
  const text = `
    select 'session' as kind, jsonb_build_object('pid', pid, 'database', datname, 'program', application_name, 'state', state,
             'waits', wait_event_type || ' ' || wait_event, 'behind', pg_blocking_pids(pid), 'since', now() - xact_start, 'query', left(query, 120)) as row
      from pg_stat_activity where pid <> pg_backend_pid() and (state <> 'idle' or backend_type <> 'client backend')
     union all select 'slot', to_jsonb(s) from pg_replication_slots s
     union all select 'subscription', to_jsonb(s) from pg_stat_subscription s
     union all select 'table not copied', jsonb_build_object('table', srrelid::regclass, 'state', srsubstate) from pg_subscription_rel where srsubstate <> 'r'`
  const found = await query(url, text).catch((error: Error) => [{ error: error.message }])
  return [`${url}:`, ...found.map((row) => JSON.stringify(row))]
}

/** Returns the rows of a database about something that calls named, such as a user. */
async function look(url: string, about: string): Promise<string[]> {
  const named = about.replaceAll(/[%_'\\]/g, '_').replaceAll('"', '')
  const text = `
    select 'grant' as kind, to_jsonb(g) as row from grants g where principal like '%${named}%'
     union all select 'event', to_jsonb(e) from events e where e::text like '%${named}%'
     union all select 'notification', to_jsonb(n) from notifications n where n::text like '%${named}%'`
  const found = await query(url, text).catch((error: Error) => [{ error: error.message }])
  return [`${url} has ${found.length}:`, ...found.map((row) => JSON.stringify(row))]
}

describe('a move that is killed', () => {
  it('continues, or is undone, and nothing is lost', async () => {
    // A transaction that a test holds in the home database would hold up replication from a database of the same server.
    const [own, one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres(), startBucketPostgres()])
    const home = await emptyDatabase(own, 'home')
    const places = [await emptyDatabase(one, 'bucket'), await emptyDatabase(other, 'bucket')] as const
    const servers = new Servers(home)
    const first = await servers.start()
    await runCommand(home, 'create', 'eu1', '--url', places[0])
    const second = await servers.start()
    const key = await first.newKey()
    const load = await Everything.start([key, second.with(key.headers)], servers.urls)
    const { findings } = load
    findings.examine = async (about) => [
      ...(await Promise.all([home, ...places].map((url) => look(url, about)))).flat(),
      ...servers.logged(/"level":"?(warn|error|[456]0)/, 20),
    ]
    const [waits, pauses]: [number[], number[]] = [[], []]
    /** The pauses of moves whose command was stopped, or during which no server ran: one slept, and the other was being started again. */
    const longer: number[] = []
    const kills = new Map<string, number>()
    let [stops, undone] = [0, 0]
    let at: 0 | 1 = 0
    for (let move = FIRST; move < FIRST + MOVES; move++) {
      const to: 0 | 1 = at === 0 ? 1 : 0
      // The counter of the other server is behind in some moves and ahead in others.
      if (move % 4 < 2) await spendNumbers(places[move % 4 === 0 ? at : to], AHEAD)
      if (move % 6 === 2) servers.sleep(1)
      if (move % 6 === 5) servers.wake()
      const args: string[] = ['move', 'eu1', '--to', places[to]]
      const step = STEPS[move % STEPS.length] ?? 0
      const isStopped = move % 7 === 6
      findings.happens(`move ${move} to ${places[to]}: ${isStopped ? 'stopped' : 'killed'} at ${step}`)
      const isUnserved = isStopped || (move % 5 === 3 && servers.isOneAsleep)
      const killed = move % 5 === 3 ? sleep(Math.random() * 2_000).then(() => servers.killAndStart(0)) : undefined
      const said = [
        await interrupt(home, args, step, isStopped).catch(async (error: Error) => {
          const found = await Promise.all([home, ...places].map(lookAround))
          report([`move ${move} does not go on: ${error.message}`, ...found.flat()].join('\n  '))
          throw error
        }),
      ]
      if (isStopped) stops++
      else kills.set(String(step), (kills.get(String(step)) ?? 0) + 1)
      if (move % 3 === 1) {
        // The move is undone: before the switch the bucket stays where it is, after the switch it moves back. The undo
        // is also killed and started again.
        said.push(await interrupt(home, ['move', 'eu1', '--undo'], 100 + Math.random() * 3_000))
        kills.set('undo', (kills.get('undo') ?? 0) + 1)
        const again = await startCommand(home, 'move', 'eu1', '--undo').exited
        said.push(again.stdout + again.stderr)
        if (again.code !== 0) assert.match(again.stderr, /is not being moved|was taken back to/, said.join('\n'))
        undone++
      } else {
        const again = await startCommand(home, ...args).exited
        said.push(again.stdout + again.stderr)
        if (again.code !== 0) assert.match(again.stderr, /was moved to|is at .* already/, said.join('\n'))
        at = to
      }
      await killed
      findings.happens(said.join('\n').replaceAll('\n', '\n    '))
      for (const [, ms] of said.join('\n').matchAll(/Writes waited (\d+) ms/g)) waits.push(Number(ms))
      await sleep(400)
      const confirmed = await startCommand(home, 'move', 'eu1', '--confirm').exited
      if (confirmed.code !== 0) assert.match(confirmed.stderr, /has no move to confirm/, said.join('\n'))
      const keys = await query(places[at], `select count(*)::int as count from api_keys`).catch(() => [])
      if (keys[0]?.count !== 2) at = at === 0 ? 1 : 0
      assert.deepEqual(await query(places[at], `select count(*)::int as count from api_keys`), [{ count: 2 }])
      assert.deepEqual(await query(home, 'select from bucket_moves'), [], said.join('\n'))
      for (const { url } of [one, other]) assert.deepEqual(await query(url, 'select from pg_replication_slots'), [])
      findings.happens(`confirmed: ${confirmed.stdout}${confirmed.stderr}`)
      const before = load.acknowledged
      await until(`changes are accepted after ${said.join('\n')}`, () => load.acknowledged > before)
      const pauseMs = findings.takePause()
      if (isUnserved) longer.push(pauseMs)
      else pauses.push(pauseMs)
      report(`move ${move}, ${step}: ${load.acknowledged} acknowledged, ${pauseMs} ms without`)
      await findings.examined()
      assert.deepEqual(findings.wrong, [], said.join('\n'))
    }
    servers.wake()
    const figures = await load.finish()
    report(
      JSON.stringify({
        ...{
          moves: MOVES,
          kills: Object.fromEntries(kills),
          stops,
          undone,
          'servers killed': servers.kills,
          'servers asleep': servers.sleeps,
        },
        ...figures,
        ...{
          'longest pause ms': Math.max(...pauses),
          'median pause ms': median(pauses),
          'longest pause ms, command stopped or no server': Math.max(0, ...longer),
        },
        ...{
          switches: waits.length,
          'writes waited ms, median': median(waits),
          'writes waited ms, max': Math.max(...waits),
        },
      }),
    )
    assert.deepEqual(findings.wrong, [])
    // The counter of the other server began lower: if the move did not raise it, tokens would be refused, or would skip
    // events later.
    assert.equal(figures['page tokens refused'], 0)
  })
})
