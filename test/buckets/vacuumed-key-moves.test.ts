/** `commonhold buckets move-key` while PostgreSQL vacuums a table of the key, which takes minutes for a large one. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { emptyDatabase, query, runCommand, settingsOf, startBucketPostgres } from './bucket-world.ts'

it('does not wait for an automatic vacuum to end', async () => {
  const postgres = await startBucketPostgres({ autovacuum: 'on', autovacuum_naptime: 1 })
  const [home, bucket] = [await emptyDatabase(postgres, 'home'), await emptyDatabase(postgres, 'bucket')]
  const { client } = await startProcess(settingsOf(home))
  const key = await client.newKey()
  await runCommand(home, 'create', 'eu1', '--url', bucket)
  await runCommand(home, 'set', 'eu1', '--takes-keys', 'no')
  const resources = [{ type: 'organization' as const, id: 'acme' }]
  await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
  const apiKey = apiKeyOf(key)
  // The vacuum waits a tenth of a second after each page.
  await query(
    home,
    `insert into users (api_key_id, user_id, profile)
     select '${apiKey}', 'left ' || n, jsonb_build_object('name', repeat('x', 300)) from generate_series(1, 40000) n;
     delete from users where user_id like 'left %';
     alter table users set (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0,
       autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`,
  )
  const vacuuming = `
    select from pg_locks where relation = 'users'::regclass and mode = 'ShareUpdateExclusiveLock' and granted`
  await until('the vacuum', async () => (await query(home, vacuuming)).length > 0)
  const { stdout } = await runCommand(home, 'move-key', apiKey, '--to', 'eu1')
  assert.match(stdout, /The move of the key is finished/)
  const ended = `select autovacuum_count::int as count from pg_stat_user_tables where relid = 'users'::regclass`
  assert.deepEqual(await query(home, ended), [{ count: 0 }], 'the vacuum ended by itself')
})
