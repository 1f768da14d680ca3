/**
 * `commonhold buckets move-key` is held between two steps, by locks of the test: which calls are refused, and which
 * database answers, however long a step takes. A page follows a live stream, and jobs of the key begin while the fence
 * is built.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { listeningUrl } from '#http/server.ts'
import { createUserClient } from '#sdk/index.ts'
import { tablesWhere } from '#tenancy/tables.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { entriesFor, PROVIDER_TOKEN, ROADMAP, responseWith, userOf } from '#testing/stand-ins/permission-provider.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { runBuckets } from '../../server/buckets/commands.ts'
import { query } from './bucket-world.ts'
import { comparable, createDatabases, questionsAbout, withTablesOf } from './filled-key.ts'
import { held, isWaiting } from './held-command.ts'

const { urls, config, startServerToFill } = await createDatabases()

/** Tables whose rows are written together with others, and counts. */
const NOT_FENCED = ['search_entries', 'usage_days', 'usage_hours']
/** Tables whose rows no statement can change. */
const NUMBERS = ['attempt_key', 'endpoint_key', 'organization_key', 'position', 'resource_key']
/** The tables with rows of a key in the home database. */
const OF_HOME = ['console_sessions', 'key_places', 'key_moves', 'mail_addresses']
const waiting = (url: string, text: string) => until(`${text} to wait`, () => isWaiting(url, text))

async function startWorld() {
  const { app, client, fill } = await startServerToFill({ WEBHOOK_ALLOW_PRIVATE: 'true' })
  const neighbour = await client.newKey()
  const filled = await fill(['key_moves', 'bucket_moves', 'key_places', 'buckets'])
  for (const table of ['document_migrations', 'user_data_deletions', 'user_access_revocations'])
    assert.deepEqual(await query(urls.home, `select from ${table} where finished_at is null`), [])
  await runBuckets(config, ['create', 'eu1', '--url', urls.bucket])
  await runBuckets(config, ['set', 'eu1', '--takes-keys', 'no'])
  return { client, neighbour, url: listeningUrl(app.http, '127.0.0.1'), filled }
}

it('refuses every change while it copies, and no answer comes from the old database after the switch', async () => {
  const { client, neighbour, url, filled } = await startWorld()
  const { callers, given } = filled
  const key = client.with(callers.apiKey)
  const organization = (organizationId: string) => ({ organizations: [{ organizationId }] })
  const thread = (annotationId: string) => ({
    ...{ organizationId: 'acme', documentId: 'roadmap' },
    commentAnnotations: [{ annotationId, commentData: [{ from: { userId: 'ada' }, commentText: annotationId }] }],
  })
  const placesInBucket = async () =>
    (await query(urls.home, `select bucket from key_places where bucket = 'eu1'`)).length
  const countIn = async (url: string, table: string, by = `api_key_id = '${given.apiKey}'`) =>
    (await query(url, `select count(*)::int as count from ${table} where ${by}`))[0]?.count

  const stop = new AbortController()
  cleanUp(() => stop.abort())
  const page: { event: string; data: { annotationId?: string } }[] = []
  const { token: userToken } = await key.call(generateToken, { userId: 'ada' })
  const followed = { organizationId: 'acme', documentIds: ['roadmap'] }
  const following = async () => {
    for await (const event of createUserClient({ url, userToken }).live(followed, { signal: stop.signal }))
      page.push(event as (typeof page)[number])
  }
  following().catch(() => {}) // stopped
  const shown = () => page.flatMap(({ event, data }) => (event === 'thread' ? [data.annotationId] : []))
  await until('the page is ready', () => page.some(({ event }) => event === 'ready'))
  await key.call(addThreads, thread('before'))
  await until('the page shows it', () => shown().includes('before'))

  const provider = await startReceiver((received) => responseWith(entriesFor(received, () => ({ hasAccess: true }))))
  cleanUp(() => provider.close())
  await key.call(updatePermissionProviderConfig, {
    usePermissionProvider: true,
    permissionProviderConfig: { permissionProviderUrl: provider.url, authToken: PROVIDER_TOKEN },
  })
  const asking = await userOf(key, 'kim')
  const askProvider = () => asking.post(checkPermissions.path, { checks: [{ resource: ROADMAP }] })

  const { questions, answers } = questionsAbout(client, filled)
  const same = (answer: object) => comparable(answer, ['lastUsedAt', 'calls', 'activeUsers'])
  let answered: object[] = []
  /** Asserts that every caller gets the same answers as before; with `mayFail`, UNAVAILABLE is allowed too. Returns how many got it. */
  async function allRight(step: string, mayFail = false): Promise<number> {
    let unavailable = 0
    // Showing a secret is recorded, so it is a change.
    for (const [nth, answer] of (await answers()).entries())
      if (
        (mayFail || /authtokens|secret/.test(questions[nth]?.path ?? '')) &&
        (answer as { http?: number }).http === 503
      )
        unavailable++
      else assert.equal(same(answer), same(answered[nth] ?? {}), `${step}: ${JSON.stringify(questions[nth])}`)
    return unavailable
  }

  // Each lock holds the command at one step.
  const letFence = await held(urls.home, 'lock table webhook_deliveries in row exclusive mode')
  const letCopy = await held(urls.bucket, 'lock table grants in exclusive mode')
  const moved = runBuckets(config, ['move-key', given.apiKey, '--to', 'eu1'])
  moved.catch(() => {}) // reported below
  await waiting(urls.home, 'create trigger')
  // Half of the fence exists, and jobs can still begin.
  await key.call(addOrganizations, organization('late'))
  const started = await key.post('/v2/organizations/documents/migrate', {
    ...{ organizationId: 'acme', documentId: 'final', newDocumentId: 'printed' },
  })
  assert.equal(started.http, 200, started.text)
  const erasing = await key.post('/v2/users/data/delete', { userIds: ['bob'] })
  assert.equal(erasing.http, 200, erasing.text)
  answered = await answers()
  await letFence()
  await waiting(urls.bucket, 'insert into grants')

  const source = await withTablesOf(urls.home, given.apiKey, (tables) => tables)
  const ofKey = tablesWhere(({ apiKey }) => apiKey !== undefined).filter((name) => !OF_HOME.includes(name))
  assert.deepEqual(source.map(({ name }) => name).toSorted(), ofKey.toSorted())
  for (const { name, where, columns } of source) {
    if (NOT_FENCED.includes(name)) continue
    const column = columns.find(({ name }) => !NUMBERS.includes(name))?.name
    assert.notEqual(await countIn(urls.home, name, where), 0, `no row in ${name}`)
    const attempt = async () =>
      (await query(urls.home, `update ${name} set "${column}" = "${column}" where ${where} returning 1`)).length
    // Work of the server for many keys at a time skips the rows.
    const changed = await attempt().catch(({ code }) => code)
    assert.ok(changed === 'CH002' || changed === 0, `${name}: ${changed}`)
  }
  for (const path of [addOrganizations.path, addPermissions.path]) {
    const data =
      path === addOrganizations.path
        ? organization('refused')
        : { user: { userId: 'new' }, permissions: { resources: [{ type: 'organization', id: 'acme' }] } }
    const { http, body } = await key.post(path, data)
    assert.deepEqual([http, body.error?.reason], [503, 'api_key_moving'])
  }
  // The grants of the provider cannot be stored.
  assert.equal((await askProvider()).body.error?.reason, 'api_key_moving')
  await neighbour.call(addOrganizations, organization('acme'))
  const ofSecrets = await allRight('while it is copied')
  assert.equal(await countIn(urls.bucket, 'api_keys'), 0, 'of a copy that is not finished, nothing is seen')
  assert.equal(await placesInBucket(), 0)

  const letRecord = await held(urls.home, 'lock table key_moves in exclusive mode')
  await letCopy()
  await waiting(urls.home, 'update key_moves set closed_at')
  assert.equal(await countIn(urls.bucket, 'api_keys'), 1)
  assert.notEqual(await countIn(urls.home, 'auth_tokens'), 0)
  await allRight('copied')
  assert.equal((await key.post(addOrganizations.path, organization('refused'))).http, 503)

  const letRemove = await held(urls.home, `select from signing_keys where api_key_id = '${given.apiKey}' for update`)
  await letRecord()
  await waiting(urls.home, 'delete from signing_keys')
  await sleep(500) // longer than the fence waits for a lock
  await allRight('closed', true)
  assert.equal(await placesInBucket(), 0)

  const letSwitch = await held(urls.home, 'lock table key_places in exclusive mode')
  await letRemove()
  await waiting(urls.home, 'insert into key_places')
  assert.equal(await countIn(urls.home, 'auth_tokens'), 0)
  assert.equal(await countIn(urls.home, 'signing_keys'), 0)
  assert.notEqual(await countIn(urls.home, 'users'), 0, 'rows are deleted before the switch')
  assert.ok((await allRight('without credentials', true)) > ofSecrets)

  const letDelete = await held(urls.home, `lock table grants in exclusive mode`)
  await letSwitch()
  await waiting(urls.home, 'delete from grants')
  await until(
    'the key is served',
    async () => (await key.post(addOrganizations.path, organization('after'))).http === 200,
  )
  await key.call(addThreads, thread('after'))
  assert.equal(await countIn(urls.home, 'organizations', `organization_id = 'after'`), 0)
  assert.equal((await askProvider()).body.result.data.checks[0].allowed, true)
  await letDelete()
  await moved
  await until('the page shows what came after the switch', () => shown().includes('after'))
  assert.deepEqual(shown(), ['before', 'after'], 'each once')
  assert.ok(!page.some(({ event, data }) => event === 'end' && (data as { reason?: string }).reason === 'signed_out'))
  const status = async (path: string, data: object) => (await key.post(path, data)).body.result.data
  const { migrationId } = started.body.result.data
  await until('the migration ends in the new database', async () => {
    const path = '/v2/organizations/documents/migrate/status'
    return (await status(path, { organizationId: 'acme', migrationId })).status === 'completed'
  })
  const { jobId } = erasing.body.result.data
  await until('the erasure ends in the new database', async () => {
    return (await status('/v2/users/data/delete/status', { jobId })).isDeleteCompleted
  })
  assert.deepEqual(await query(urls.home, `select tgname from pg_trigger where tgname like 'moving%'`), [])
})
