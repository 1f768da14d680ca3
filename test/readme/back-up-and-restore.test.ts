/**
 * The guide to backups works: its commands run verbatim on the data of a server, and a server on
 * the restored data continues as before. The project does not install PostgreSQL's own tools: without
 * the right version the test of the dump is skipped; the copy of a stopped cluster needs none.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { listWebhookAttempts } from '#contract/webhooks/messages.ts'
import { getWebhookSecret } from '#contract/webhooks/secrets.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import {
  createLastingStore,
  refusedStart,
  type Settings,
  startProcess,
  temporaryFolder,
} from '#testing/processes/process.ts'
import { startOwnPostgres } from '#testing/run/postgres.ts'
import { ENGINE, MASTER_KEY } from '#testing/server.ts'
import { type Received, startReceiver } from '#testing/stand-ins/receiver.ts'
import { ROOT } from '../../scripts/root.ts'

const PAGE = readFileSync(path.join(ROOT, 'docs/guides/back-up-and-restore.md'), 'utf8')
const BLOCKS = [...PAGE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
const [DUMP = '', RESTORE = '', ARCHIVE = '', UNPACK = ''] = BLOCKS

const shell = (commands: string, env: Record<string, string>) =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', commands], { env: { ...process.env, ...env }, stdio: 'pipe' })

/** The major version of the installed `pg_dump`; 0 if there is none. */
const toolsOf = (): number => {
  try {
    return Number(/(\d+)/.exec(shell('pg_dump --version && pg_restore --version', {}).toString())?.[1])
  } catch {
    return 0
  }
}

const resource = { type: 'document', id: 'plan', organizationId: 'acme' } as const
const grant = { user: { userId: 'ada' }, permissions: { resources: [{ ...resource, accessRole: 'viewer' as const }] } }
const HOOKS = { WEBHOOK_ALLOW_PRIVATE: 'true' }

const isAllowed = async (key: Client) =>
  (await key.call(checkPermissions, { checks: [{ userId: 'ada', resource }] })).checks[0]?.allowed
const eventIds = async (key: Client) => (await key.call(listEvents, {})).events.map(({ id }) => id)

/** Writes data before a backup: a grant, a secret, events, and a message that waits for its receiver. */
async function write(key: Client, url: string) {
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addPermissions, grant)
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  const { id } = await key.call(createWebhookEndpoint, { url, filterTypes: ['organization.added'] })
  const { secret } = await key.call(getWebhookSecret, { endpointId: id })
  await key.call(addOrganizations, { organizations: [{ organizationId: 'before' }] })
  return { id, secret, events: await eventIds(key) }
}

/** Waits until the first attempt is recorded: a message under way at the moment of a backup is only sent again after its lease. */
async function attempted(key: Client, endpointId: string): Promise<void> {
  await eventually('attempt', async () => (await key.call(listWebhookAttempts, { endpointId })).attempts[0])
}

/**
 * Uses a server, calls `backUp`, lets the server continue, and starts another one with the settings that `restore`
 * returns. With `stops` the server is stopped for the backup.
 */
async function backedUp(
  settings: Settings,
  { stops, backUp, restore }: { stops: boolean; backUp: () => Promise<void>; restore: () => Promise<Settings> },
) {
  // The receiver's Retry-After is longer than a backup takes.
  const receiver = await startReceiver(() => ({ status: 503, headers: { 'retry-after': '8' } }))
  let server = await startProcess({ ...settings, ...HOOKS })
  const key = await server.client.newKey()
  const { id, secret, events } = await write(key, receiver.url)
  const [message] = await receiver.until(1)
  await attempted(key, id)
  if (stops) await server.kill('SIGTERM')
  await backUp()
  if (stops) server = await startProcess({ ...settings, ...HOOKS })
  const later = server.client.with(key.headers)
  await later.call(removePermissions, { user: { userId: 'ada' }, permissions: { resources: [resource] } })
  await later.call(addOrganizations, { organizations: [{ organizationId: 'after' }] })
  assert.equal(await isAllowed(later), false)
  await server.kill('SIGTERM')

  receiver.received.length = 0
  receiver.answer = () => ({ status: 204 })
  const restored = (await startProcess({ ...(await restore()), ...HOOKS })).client.with(key.headers)
  assert.equal(await isAllowed(restored), true)
  assert.deepEqual(await eventIds(restored), events)
  assert.equal((await restored.call(getWebhookSecret, { endpointId: id })).secret, secret)
  const tellsOf = (organizationId: string) => (received: Received) =>
    received.json.data.organizationId === organizationId
  await restored.call(addOrganizations, { organizations: [{ organizationId: 'again' }] })
  await receiver.until(1, tellsOf('again'))
  const [again] = await receiver.until(1, tellsOf('before'))
  assert.equal(again?.headers['webhook-id'], message?.headers['webhook-id'])
  receiver.close()
}

describe('docs/guides/back-up-and-restore.md', () => {
  it('contains exactly the commands that are run here', () => {
    assert.equal(BLOCKS.length, 4)
    assert.match(DUMP, /pg_dump/)
    assert.match(RESTORE, /pg_restore/)
    for (const block of [ARCHIVE, UNPACK]) assert.match(block, /tar/)
  })

  it('copies the folder of the embedded engine, and its key', { skip: ENGINE !== 'embedded' }, async () => {
    const { settings } = await createLastingStore()
    const env = {
      BACKUP: temporaryFolder(),
      DATA_DIR: settings.DATA_DIR ?? '',
      RESTORED_DATA_DIR: path.join(temporaryFolder(), 'data'),
    }
    await backedUp(settings, {
      stops: true,
      async backUp() {
        shell(ARCHIVE, env)
      },
      async restore() {
        shell(UNPACK, env)
        return { DATA_DIR: env.RESTORED_DATA_DIR }
      },
    })
  })

  const major = toolsOf()
  // This needs pg_dump and pg_restore of PostgreSQL 15 or newer.
  const noTools = major < 15

  it('dumps a PostgreSQL while servers run, into another one', { skip: ENGINE !== 'postgres' || noTools }, async () => {
    const { settings } = await createLastingStore()
    const other = await startOwnPostgres({ fsync: false })
    cleanUp(() => other.stop())
    const url = new URL(other.url)
    url.pathname = '/restored'
    const env = {
      BACKUP: temporaryFolder(),
      DATABASE_URL: settings.DATABASE_URL ?? '',
      RESTORED_DATABASE_URL: url.href,
    }
    const restoredSettings = { DATABASE_URL: url.href, MASTER_KEY: MASTER_KEY.toString('base64') }
    await backedUp(settings, {
      stops: false,
      async backUp() {
        shell(DUMP, env)
      },
      async restore() {
        const client = new pg.Client(other.url)
        await client.connect()
        await client.query('create database restored')
        await client.end()
        shell(RESTORE, env)
        const { stderr } = await refusedStart({
          ...restoredSettings,
          MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
        })
        assert.match(stderr, /MASTER_KEY is not the key of this database/)
        return restoredSettings
      },
    })
  })

  it('copies a PostgreSQL that is stopped', { skip: ENGINE !== 'postgres' }, async () => {
    const one = await startOwnPostgres({ fsync: true })
    const folder = path.join(temporaryFolder(), 'data')
    const settings = { DATABASE_URL: one.url, MASTER_KEY: MASTER_KEY.toString('base64') }
    let stopped = false
    cleanUp(() => (stopped ? undefined : one.stop()))
    await backedUp(settings, {
      stops: true,
      async backUp() {
        await one.restart('orderly', (data) => cpSync(data, folder, { recursive: true }))
      },
      async restore() {
        await one.stop()
        stopped = true
        const other = await startOwnPostgres({ fsync: false, on: folder })
        cleanUp(() => other.stop())
        return { ...settings, DATABASE_URL: other.url }
      },
    })
  })
})
