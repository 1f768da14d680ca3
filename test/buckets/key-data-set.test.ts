/**
 * `commonhold buckets move-key` with a key that has rows in every table: the new database gets all of them, every
 * answer stays the same, and the old database keeps nothing. Both databases are on the PostgreSQL of the run.
 */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { streamKey } from '#tenancy/callers/keys.ts'
import { runBuckets } from '../../server/buckets/commands.ts'
import { TABLES_OF_KEY } from '../../server/buckets/key-move/data-set.ts'
import { query } from './bucket-world.ts'
import { comparable, createDatabases, questionsAbout, withTablesOf } from './filled-key.ts'

const { urls, config, startServerToFill } = await createDatabases()

/** Columns that may differ: numbers that each database assigns, and data that calls leave. */
const OWN = ['endpoint_key', 'attempt_key', 'position', 'last_used_at']
/** Rows that `fill` adds once in a database. */
const OF_HOME = [
  ...['key_moves', 'bucket_moves', 'key_places', 'buckets', 'database_epochs', 'mail_addresses', 'login_links'],
  ...['device_authorizations', 'operator_identities', 'passkeys', 'passkey_challenges', 'sso_sign_ins', 'sso_domains'],
]
/** Settings of the two databases: read as in the other one, a time of the first would be another. */
const SETTINGS = {
  home: { datestyle: 'SQL, DMY', timezone: 'Asia/Kolkata', intervalstyle: 'iso_8601', extra_float_digits: '-3' },
  bucket: { datestyle: 'SQL, MDY', timezone: 'America/New_York', intervalstyle: 'sql_standard' },
} as const

/** Sets what new connections to a database begin with. */
const setDefaults = (url: string, settings: Readonly<Record<string, string>>) =>
  query(
    url,
    Object.entries(settings)
      .map(([name, value]) => `alter database ${new URL(url).pathname.slice(1)} set ${name} = '${value}'`)
      .join('; '),
  )

/** Tables that the server changes all the time: counted calls, and followers. */
const NOT_COMPARED = ['event_followers', 'usage_days', 'usage_hours']

const rowsOf = (url: string, apiKey: string): Promise<Map<string, string[]>> =>
  withTablesOf(url, apiKey, async (tables, client) => {
    const found = new Map<string, string[]>()
    for (const { name, columns, where } of tables) {
      const compared = columns.filter((column) => !OWN.includes(column.name)).map((column) => `"${column.name}"`)
      const { rows } = await client.query(
        `select row(${compared.join(', ')})::text as row from ${name} where ${where} order by 1`,
      )
      found.set(
        name,
        rows.map(({ row }) => row),
      )
    }
    return found
  })

it('moves every row of a key, and nothing of others', async () => {
  const { db, client, fill } = await startServerToFill()
  const neighbour = (await fill(OF_HOME)).given.apiKey
  const filled = await fill(OF_HOME)
  const { callers, given } = filled
  const refuses = (args: string[], why: RegExp) => assert.rejects(runBuckets(config, args), { message: why })
  const { questions, answers } = questionsAbout(client, filled)
  const answered = await answers()
  await Promise.all([setDefaults(urls.home, SETTINGS.home), setDefaults(urls.bucket, SETTINGS.bucket)])
  await runBuckets(config, ['create', 'eu1', '--url', urls.bucket])
  await runBuckets(config, ['set', 'eu1', '--takes-keys', 'no'])
  await db.script(`create table finished as select migration_id, finished_at from document_migrations;
    update document_migrations set finished_at = null, due_at = '2099-01-01'`)
  await refuses(['move-key', given.apiKey, '--to', 'eu1'], /^A job of the key is not finished \(document migrations\);/)
  await db.script(`
    update document_migrations m set finished_at = f.finished_at
      from finished f where f.migration_id = m.migration_id;
    drop table finished`)
  const before = await rowsOf(urls.home, given.apiKey)
  for (const table of TABLES_OF_KEY) assert.ok(before.get(table)?.length, `no row in ${table}`)
  const ofNeighbour = async () =>
    [...(await rowsOf(urls.home, neighbour))].filter(([table]) => !NOT_COMPARED.includes(table))
  const others = await ofNeighbour()
  await refuses(['move-key'], /^Name the API key: buckets move-key KEY --to NAME\.$/)
  await refuses(['move-key', given.apiKey], /^Name the bucket with --to, or the home database with --to-home\.$/)
  await refuses(['move-key', 'chk_test_none', '--to', 'eu1'], /^There is no such API key; name it as callers do\.$/)
  await refuses(['move-key', given.apiKey, '--to', 'us1'], /^There is no bucket us1; see: commonhold buckets list$/)
  await refuses(['move-key', given.apiKey, '--to-home'], /^The key is in the home database already\.$/)
  await refuses(['move-key', given.apiKey, '--undo'], /^The key is not being moved\.$/)
  await db.query(`insert into bucket_moves (bucket, from_url_sealed, to_url_sealed) values ('eu1', 'x', 'x')`)
  await refuses(['move-key', given.apiKey, '--to', 'eu1'], /^The bucket eu1 is being moved; finish that with --confirm/)
  await db.query(`delete from bucket_moves where bucket = 'eu1'`)
  const upgraded = (by: number) =>
    query(
      urls.bucket,
      `update schema_migrations set version = version + ${by} where version = (select max(version) from schema_migrations)`,
    )
  await upgraded(1)
  await refuses(['move-key', given.apiKey, '--to', 'eu1'], /^The database of the bucket eu1 has another version;/)
  await upgraded(-1)
  // Rows as from a backup of another time.
  await query(
    urls.bucket,
    `insert into api_keys (api_key_id, workspace_id, type, name, owner_email) values ('${given.apiKey}', 'any', 'testing', 'Old', 'ada@example.com')`,
  )
  await refuses(['move-key', given.apiKey, '--to', 'eu1'], /^There are rows of the key in the bucket eu1 already,/)
  await query(urls.bucket, `delete from api_keys`)
  await db.query(`
    insert into database_clock (reached, repeated) values (clock_timestamp(), '{[2020-04-05 UTC, 2020-04-06 UTC)}')
    on conflict (singleton) do update set repeated = excluded.repeated`)
  await runBuckets(config, ['move-key', given.apiKey, '--to', 'eu1'])
  const [clock] = await query(
    urls.bucket,
    `select repeated @> '2020-04-05 12:00 UTC'::timestamptz as known from database_clock`,
  )
  assert.equal(clock?.known, true)
  for (const [table, rows] of await rowsOf(urls.bucket, given.apiKey)) {
    const [all] = await query(urls.bucket, `select count(*)::int as count from ${table}`)
    // The database has events and counters of its own.
    if (!['events', 'event_streams'].includes(table)) assert.equal(all?.count, rows.length, `others are in ${table}`)
  }
  await refuses(['move-key', given.apiKey, '--to', 'eu1'], /^The key is in the bucket eu1 already\.$/)
  const after = await rowsOf(urls.bucket, given.apiKey)
  for (const [table, rows] of before) if (!NOT_COMPARED.includes(table)) assert.deepEqual(after.get(table), rows, table)
  const ofWorkspace = streamKey('workspace', callers.workspace['x-service-workspace-id'] ?? '')
  for (const [table, rows] of await rowsOf(urls.home, given.apiKey))
    assert.deepEqual(
      rows.filter((row) => table !== 'events' || !row.includes(ofWorkspace)),
      [],
      table,
    )
  assert.deepEqual(await ofNeighbour(), others)
  const shown = (answer: unknown) => comparable(answer, ['lastUsedAt'])
  for (const [nth, answer] of (await answers()).entries())
    assert.deepEqual(shown(answer), shown(answered[nth]), JSON.stringify(questions[nth]))
})
