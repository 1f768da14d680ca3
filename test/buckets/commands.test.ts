/** When `commonhold buckets` refuses or fails, it prints one sentence with the next step, and no password. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { runBuckets } from '../../server/buckets/commands.ts'
import { readConfig } from '../../server/config.ts'
import { commandExitCode, explainStartFailure } from '../../server/start-failures.ts'
import { emptyDatabase, query, runCommand, settingsOf, startBucketPostgres } from './bucket-world.ts'

const PASSWORD = 'pass-word-1'

/** Runs the command in this process; returns its exit code and its sentence. */
async function refused(settings: Record<string, string>, args: readonly string[]): Promise<[number, string]> {
  try {
    await runBuckets(readConfig(settings), args)
  } catch (error) {
    return [commandExitCode(error), await explainStartFailure(error)]
  }
  throw new Error(`${args.join(' ')} did not fail`)
}

describe('commonhold buckets', () => {
  it('says in one sentence why it refuses and what to do', async () => {
    const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])
    await query(one.url, `create role app login password '${PASSWORD}'`)
    const home = await emptyDatabase(one, 'home')
    const from = await emptyDatabase(one, 'bucket')
    const noRights = (await emptyDatabase(one, 'closed')).replace('postgres@', `app:${PASSWORD}@`)
    const to = await emptyDatabase(other, 'bucket')
    await runCommand(home, 'create', 'eu1', '--url', from)
    await runCommand(home, 'create', 'us1', '--url', to)
    const missing = new URL(`${from}-missing`).href
    await query(other.url, 'create table kept (id int)')
    const refusals: [args: string[], code: number, why: RegExp][] = [
      [['create', 'eu1', '--url', from], 5, /^There is a bucket eu1 already\.$/],
      [['create', 'Eu', '--url', from], 2, /^A bucket has a name of at most 40 lower-case/],
      [['create', 'eu2'], 2, /^Name the database of the bucket with --url, or in BUCKET_URL\.$/],
      [['create', 'eu2', '--url', 'db1'], 2, /^The URL of a database must start with postgres:/],
      [['create', 'eu2', '--url', home], 5, /is the home database, which needs no bucket; name an empty database\.$/],
      [['create', 'eu2', '--url', from], 5, /is the database of the bucket eu1; name an empty one\.$/],
      [
        ['create', 'eu2', '--citus', '--url', from],
        5,
        /has no Citus 12 or later; name the database of its coordinator\.$/,
      ],
      [['create', 'eu2', '--url', missing], 4, /does not exist; create it, or correct its name in the URL\.$/],
      [['create', 'eu2', '--url', noRights], 5, /permission denied for .*; make its user the owner of the database/],
      [
        ['create', 'eu2', '--url', `postgres://app:${PASSWORD}@127.0.0.1:9/x`],
        4,
        /start PostgreSQL, or correct the host/,
      ],
      [['set', 'eu2'], 5, /^There is no bucket eu2; see: commonhold buckets list$/],
      [['set', 'eu1', '--takes-keys', 'perhaps'], 2, /^--takes-keys must be yes or no\.$/],
      [['set', 'eu1', '--url', home], 5, /does not have the data of the bucket eu1; to move it: buckets move\.$/],
      [['move', 'us2', '--to', from], 5, /There is no bucket us2/],
      [['move', 'eu1'], 5, /^Name the new database with --to, or in BUCKET_URL\.$/],
      [['move', 'eu1', '--to', from], 5, /is at .* already/],
      [['move', 'eu1', '--to', to], 5, /has tables already; name an empty database\.$/],
      [['move', 'eu1', '--to', other.url], 5, /has tables already/],
      [['move', 'eu1', '--to', home], 5, /is the home database/],
      [['move', 'eu1', '--confirm'], 5, /has no move to confirm/],
      [['move', 'eu1', '--undo'], 5, /is not being moved/],
      [['move', 'eu1', '--to', 'postgres://127.0.0.1:9/none'], 4, /cannot be reached/],
      [['drop', 'eu1'], 2, /^There is no command buckets drop\./],
      [['set', 'eu1', '--taks-keys', 'no'], 2, /'--taks-keys'/],
    ]
    for (const [args, code, why] of refusals) {
      const [exit, says] = await refused(settingsOf(home), args)
      assert.match(says, why, args.join(' '))
      assert.equal(exit, code, `${args.join(' ')}: ${says}`)
      assert.doesNotMatch(says, /\n|pass-word/)
    }
    // The command deletes nothing from a database that is not empty.
    assert.deepEqual(await query(other.url, 'select from kept'), [])
    assert.match((await refused({}, ['list']))[1], /^Buckets need PostgreSQL: set DATABASE_URL and MASTER_KEY/)
    const lost = { ...settingsOf(home), DATABASE_URL: missing.replace('@', `:${PASSWORD}@`) }
    const [exit, says] = await refused(lost, ['list'])
    assert.equal(exit, 4, says)
    assert.doesNotMatch(says, /pass-word/)
    // A command that only reads creates nothing, and does not upgrade an earlier version.
    const fresh = await emptyDatabase(one, 'fresh')
    for (const verb of ['list', 'check']) assert.match((await runCommand(fresh, verb)).stdout, /^There are no buckets/)
    assert.deepEqual(await query(fresh, `select from pg_tables where schemaname = 'public'`), [])
    const settings = { ...settingsOf(home), COMMONHOLD_URL: 'http://127.0.0.1:9' }
    const { stdout: checks } = await cli(['doctor', '--json'], settings)
    assert.deepEqual(
      JSON.parse(checks).checks.map(({ check, outcome }: Record<string, string>) => `${check} ${outcome}`),
      ['profiles ok', 'address ok', 'server failed', 'bucket eu1 ok', 'bucket us1 ok'],
    )
    const { stdout: listed } = await runCommand(home, 'list', '--json')
    const names = listed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).name)
    assert.deepEqual(names, ['eu1', 'us1'])
    await runCommand(home, 'set', 'eu1', '--region', 'europe-west1')
    const { stdout: again } = await runCommand(home, 'set', 'eu1', '--url', from.replace('postgres@', 'postgres:new@'))
    assert.match(again, /^The bucket eu1 is at .*\/bucket, and takes new API keys of the region europe-west1\.$/m)
    const { stdout } = await runCommand(home, 'set', 'eu1', '--region', '')
    assert.match(stdout, /^The bucket eu1 takes new API keys without a region\.$/m)
  })
})
