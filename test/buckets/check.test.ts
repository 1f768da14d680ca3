/** `commonhold buckets check` finds faults in the buckets of an installation, and says what to do (ADR 0066). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { migrationVersion } from '#platform/db/migrate.ts'
import { createSealer } from '#platform/secrets/seal.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { MASTER_KEY } from '#testing/server.ts'
import { checkBuckets } from '../../server/buckets/check.ts'
import { urlContext } from '../../server/buckets/directory.ts'
import { connectTo } from '../../server/buckets/move/servers.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { plantDecoys } from './decoys.ts'
import { startWithBuckets } from './server-with-buckets.ts'

const world = await startWithBuckets(['one', 'two'])
const [one] = world.buckets.map(({ db }) => db)
const sealer = createSealer(MASTER_KEY)
const atHome = await connectTo(world.homeUrl)
cleanUp(() => atHome.end())

let key: Client

beforeAll(async () => {
  const owner = await world.newOwner()
  key = await world.newKey(owner, 'one')
  await world.newKey(owner, 'two')
})

/** Returns the findings about the bucket `one`, one on each line. */
async function found(): Promise<string[]> {
  const all = await checkBuckets({ home: world.home, sealer, atHome })
  assert.ok(all.some(({ check, outcome }) => check === 'bucket two' && outcome === 'ok'))
  return all
    .filter(({ check }) => check === 'bucket one')
    .map(({ outcome, says, next, exit }) => {
      assert.equal(next === undefined, outcome === 'ok')
      assert.equal(exit === undefined, outcome !== 'failed')
      return `${outcome}: ${says} ${next ?? ''}`
    })
}

async function finds(...expected: RegExp[]): Promise<void> {
  const lines = await found()
  for (const [nth, line] of expected.entries()) assert.match(lines[nth] ?? '', line)
  assert.equal(lines.length, expected.length, lines.join('\n'))
}

describe('a check', () => {
  it('finds nothing wrong', () => finds(new RegExp(`^ok: .*: 1 API key, schema version ${migrationVersion} $`)))

  it('names a database that cannot be reached', async () => {
    await world.buckets[0]?.setDown(true)
    await finds(/^failed: .* cannot be reached: .*UNAVAILABLE until then.*buckets set one$/)
    await world.buckets[0]?.setDown(false)
  })

  it('finds keys without data, and data without a recorded location', async () => {
    const id = apiKeyOf(key)
    const move = (to: string, from: string) =>
      world.home.query('update key_places set api_key_id = $1 where api_key_id = $2', [to, from])
    await move('chk_test_lost', id)
    await one?.query(`update api_keys set created_at = created_at - interval '1 hour'`)
    await finds(
      /^failed: The API key chk_test_lost is not there/,
      new RegExp(`^warning: The API key ${id} is there without`),
    )
    // A key that is being created is not reported.
    await one?.query(`update api_keys set created_at = clock_timestamp()`)
    await finds(/^failed: The API key chk_test_lost is not there/)
    await move(id, 'chk_test_lost')
  })

  it('finds a bucket with an earlier and with a later version', async () => {
    await one?.query(`insert into schema_migrations (version, name) values (9999, 'later')`)
    await finds(/^failed: .* has schema version 9999, which .* does not know/)
    await one?.query(`update schema_migrations set version = version - 20000 where version = any ($1)`, [
      [9999, migrationVersion],
    ])
    await finds(/^warning: .* has schema version \d+, and this version of Commonhold has \d+/)
    await one?.query(`delete from schema_migrations where version = 9999 - 20000`)
    await one?.query(`update schema_migrations set version = version + 20000 where version < 0`)
    await finds(/^ok/)
  })

  it('finds a move in each state', async () => {
    const elsewhere = sealer.seal('postgres://127.0.0.1/elsewhere', urlContext('one'))
    const here = (await world.home.query(`select url_sealed from buckets where name = 'one'`)).rows[0] as {
      url_sealed: Buffer
    }
    const insert = 'insert into bucket_moves (bucket, from_url_sealed, to_url_sealed) values ($1, $2, $3)'
    await world.home.query(insert, ['one', here.url_sealed, elsewhere])
    await finds(/^warning: It is being moved to .*elsewhere.*--undo gives it up/)
    await one?.query('alter schema public rename to commonhold_moved')
    await finds(/^failed: .* is closed by a move, and the bucket is UNAVAILABLE.*: commonhold buckets move one$/)
    await one?.query('alter schema commonhold_moved rename to public')
    await world.home.query('update bucket_moves set switched_at = clock_timestamp()')
    await finds(/^warning: It was moved to .*--confirm/)
    await world.home.query('delete from bucket_moves')
  })

  it('finds keys that are being moved, and keys whose move the home database has forgotten', async () => {
    const id = apiKeyOf(key)
    await one?.script(
      `create trigger moving_test before update on users for each row execute function hold_moving_key('${id}', 'api_key_id', '{}', '{}')`,
    )
    await world.home.query(
      `insert into key_moves (api_key_id, workspace_id, from_bucket) select api_key_id, workspace_id, bucket from key_places where api_key_id = $1`,
      [id],
    )
    await finds(new RegExp(`^warning: The API key ${id} is being moved .*buckets move-key again`))
    await world.home.query('delete from key_moves where api_key_id = $1', [id])
    await finds(new RegExp(`^failed: Changes of the API key ${id} are refused .*buckets move-key again`))
    await one?.script('drop trigger moving_test on users')
    await finds(/^ok: /)
  })

  it('finds a data set in two databases', async () => {
    await plantDecoys(world)
    const all = await checkBuckets({ home: world.home, sealer, atHome })
    assert.match(all.map(({ says }) => says).join('\n'), /^The API key \S+ is in the home database too/m)
  })
})
