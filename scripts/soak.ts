/**
 * Runs the randomized tests for hours on each engine: 10,000 random worlds of access, and as many of comments (`WORLDS`),
 * 100,000 rounds of revocations (`ROUNDS`), 50 kills (`KILLS`) of servers that write grants or comments or send webhooks, 40
 * failovers of PostgreSQL (`FAILOVERS_SYNCHRONOUS` and others), 10 s of each operation beside a quiet tenant (`NEIGHBOUR_MS`),
 * and ten minutes of random bodies (`FUZZ_SECONDS`). `--patroni PROGRAM` adds 41 changes of the primary by that Patroni, with
 * etcd and Debian's PostgreSQL 15. `buckets/kills` makes 20 moves (`--moves N`, after the first `--from M`) of a bucket with kills,
 * `buckets/citus` as many on a Citus whose coordinator `CITUS_URL` names, and again while its nodes, which must run on this
 * machine, are killed and started. Other arguments are passed to Vitest, such as `--project postgres`; a part of a file
 * name runs those tests only.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './root.ts'

const PARTS = [
  'matrix/worlds',
  'recipients/worlds',
  'recipients/hidden.test',
  'recipients/channels.test',
  'concurrency/stale-allows',
  'concurrency/serial-order',
  'crash/grants',
  'crash/comments',
  'crash/webhooks',
  'crash/storms',
  'crash/failover',
  'buckets/kills',
  'buckets/citus',
  'neighbours/every-operation',
  'neighbours/event-loop',
  'conformance/fuzz',
]

const SIX_HOURS_MS = 6 * 60 * 60 * 1000

const LENGTHS = {
  WORLDS: '10000',
  ROUNDS: '100000',
  KILLS: '50',
  WEBHOOK_EVENTS: '10000',
  WEBHOOK_KILLS: '50',
  STORM_SECONDS: '600',
  FAILOVERS_SYNCHRONOUS: '20',
  FAILOVERS_ASYNCHRONOUS: '10',
  SWITCHOVERS: '10',
  PATRONI_SWITCHOVERS: '10',
  PATRONI_FAILOVERS: '10',
  BUCKET_MOVES: '20',
  NEIGHBOUR_MS: '10000',
  FUZZ_SECONDS: '600',
  TEST_TIMEOUT_MS: String(SIX_HOURS_MS),
}

const given = process.argv.slice(2)
/** Takes an option with its value out of the arguments. */
function take(option: string): string | undefined {
  const at = given.indexOf(option)
  return at === -1 ? undefined : (given.splice(at, 2)[1] ?? '')
}
const [patroni, moves, from] = [take('--patroni'), take('--moves'), take('--from')]
if (patroni !== undefined && !existsSync(patroni))
  process.stdout.write(`Patroni is not tried: there is no program at "${patroni}".\n`)
const names = given.filter((argument, index) => !argument.startsWith('-') && given[index - 1] !== '--project')
const triesCitus = names.length === 0 || names.some((name) => 'test/buckets/citus'.includes(name))
if (triesCitus && !process.env.CITUS_URL)
  process.stdout.write('Citus is not tried: CITUS_URL names no database of a coordinator.\n')
const { status } = spawnSync(
  process.execPath,
  [path.join(ROOT, 'node_modules/vitest/vitest.mjs'), '--mode', 'full', ...given, ...(names.length === 0 ? PARTS : [])],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...LENGTHS,
      ...process.env,
      ...(patroni && { PATRONI: path.resolve(patroni) }),
      ...(moves && { BUCKET_MOVES: moves }),
      ...(from && { BUCKET_MOVES_FROM: from }),
    },
  },
)
process.exitCode = status ?? 1
