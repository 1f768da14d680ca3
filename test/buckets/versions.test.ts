/**
 * Buckets with schemas of two versions: each database is upgraded by itself, in any order, and a bucket that a server
 * cannot open is UNAVAILABLE while the others are served. The later version is the present one with one more migration.
 */
import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { migrationVersion } from '#platform/db/migrate.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { startProcess, temporaryFolder } from '#testing/processes/process.ts'
import { ROOT } from '../../scripts/root.ts'
import { refused } from '../conformance/support/refused.ts'
import { startTcpProxy } from '../lifecycle/tcp-proxy.ts'
import {
  emptyDatabase,
  isServed,
  query,
  runCommand,
  settingsOf,
  startBucketPostgres,
  startCommand,
} from './bucket-world.ts'

const LATER = migrationVersion + 1

/** Builds the later version. */
function laterVersion(): string {
  const folder = temporaryFolder()
  cpSync(path.join(ROOT, 'cli/dist'), folder, { recursive: true })
  const file = path.join(folder, `db/migrations/${String(LATER).padStart(4, '0')}_later.sql`)
  writeFileSync(file, 'create table later (n int)')
  return path.join(folder, 'server.js')
}

const versionOf = async (url: string) =>
  (await query(url, 'select max(version)::int as version from schema_migrations'))[0]?.version

/** Calls a key until it is stopped. Returns a function that stops it and resolves to the wrong answers. */
function callsOf(key: Client): () => Promise<unknown[]> {
  let isStopping = false
  const wrong: unknown[] = []
  const calling = (async () => {
    while (!isStopping) {
      const { http, text } = await key.post(getOrganizations.path, {})
      if (http !== 200 || !text.includes('acme')) wrong.push(text)
    }
  })()
  return async () => {
    isStopping = true
    await calling
    return wrong
  }
}

const postgres = await startBucketPostgres()

/** Copies an unused database. */
const copy = (from: string, to: string) => query(postgres.url, `create database ${to} template ${from}`)

const unavailable = async (key: Client, message: RegExp) => {
  const { reason, message: says } = refused(await key.post(getOrganizations.path, {}), 'UNAVAILABLE')
  assert.equal(reason, 'bucket_unavailable')
  assert.match(says, message)
}

describe('buckets of two versions', () => {
  it('are upgraded one by one, in any order, while the others are served', async () => {
    const home = await emptyDatabase(postgres, 'home')
    const [eu, us] = [await emptyDatabase(postgres, 'eu'), await emptyDatabase(postgres, 'us')]
    const euProxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(eu).port) })
    cleanUp(() => euProxy.close())
    const viaProxy = new URL(eu)
    viaProxy.port = String(euProxy.port)
    const main = laterVersion()
    const first = await startProcess(settingsOf(home))
    const create = async (region: string, url: string) => {
      await runCommand(home, 'create', region, '--url', url, '--region', region)
      await until(`the bucket ${region}`, async () => (await versionOf(url)) === migrationVersion)
    }
    await create('eu', viaProxy.href)
    await create('us', us)
    const keys = {
      home: await first.client.newKey(),
      eu: await first.client.newKey({ persistenceDBRegion: 'eu' }),
      us: await first.client.newKey({ persistenceDBRegion: 'us' }),
    }
    for (const key of Object.values(keys))
      await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await first.kill('SIGTERM')

    // The state after restoring a backup: one bucket has the later version, the home database and the other bucket do
    // not.
    await copy('home', 'home_before')
    await copy('eu', 'eu_before')
    const upgrading = await startProcess(settingsOf(home), main)
    const isLater = async () => (await Promise.all([home, eu, us].map(versionOf))).every((one) => one === LATER)
    await until('all to be upgraded', isLater)
    await upgrading.kill('SIGTERM')
    for (const name of ['home', 'eu']) {
      await query(postgres.url, `drop database ${name}`)
      await query(postgres.url, `alter database ${name}_before rename to ${name}`)
    }

    const earlier = await startProcess(settingsOf(home))
    const of = (server: { client: Client }, key: Client) => server.client.with(key.headers)
    await until('the earlier version', () => isServed(of(earlier, keys.eu)))
    assert.ok(await isServed(of(earlier, keys.home)))
    await unavailable(
      of(earlier, keys.us),
      /bucket us, whose database has a schema of another version than this server/,
    )
    const knows = `The database has schema version ${LATER}, but this Commonhold only knows versions up to ${migrationVersion}`
    assert.ok(`${earlier.output.stdout}${earlier.output.stderr}`.includes(knows), 'the log does not say why')
    const check = await startCommand(home, 'check').exited
    assert.match(check.stdout, new RegExp(`bucket us {2}failed: .* has schema version ${LATER}`))
    assert.match(check.stdout, /bucket eu {2}ok/)
    assert.equal(await versionOf(us), LATER)

    // The bucket that has the earlier version is down while the home database is upgraded.
    await euProxy.shut()
    const later = await startProcess(settingsOf(home), main)
    await until('the later version', () => isServed(of(later, keys.us)))
    const stop = [callsOf(of(later, keys.us)), callsOf(of(later, keys.home))]
    assert.deepEqual(await Promise.all([home, eu, us].map(versionOf)), [LATER, migrationVersion, LATER])
    await unavailable(of(later, keys.eu), /bucket eu, whose database cannot be reached/)
    // The server of the earlier version gets no new work, and finishes its present work.
    await until('the earlier version is not ready', async () => (await fetch(`${earlier.url}/readyz`)).status === 503)
    assert.ok(await isServed(of(earlier, keys.home)))
    await euProxy.open()
    await until('the bucket that was down', () => isServed(of(later, keys.eu)))
    assert.equal(await versionOf(eu), LATER)
    for (const end of stop) assert.deepEqual(await end(), [])
  })
})
