/** Restores a store of each released version and starts it with the current code: its data is there, and writes work. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { createApiKey, deleteApiKey } from '#contract/keys/api-keys.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { runSearch } from '#contract/resources/search.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { listeningUrl } from '#http/server.ts'
import type { Db } from '#platform/db/db.ts'
import { migrate, readMigrations, schemaIsCurrent } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log.ts'
import { rebaseAfterRestore } from '#tenancy/events/feed-restore.ts'
import { TABLES } from '#tenancy/tables.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Client, createClient } from '#testing/client.ts'
import { createStore, MASTER_KEY } from '#testing/server.ts'
import { schemaAsSql } from '../../scripts/generated/schema.ts'
import type { Recorded } from '../../scripts/make-upgrade-fixture.ts'
import { ROOT } from '../../scripts/root.ts'
import { ask } from '../../scripts/upgrade-fixture/questions.ts'
import { buildApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'
import { assertStructure } from '../matrix/structure.ts'

const STORES = path.join(ROOT, 'test/fixtures/stores')
const SCHEMA = path.join(ROOT, 'db/schema.sql')
const EMPTY = 'drop schema public cascade; create schema public'
const organizationId = 'acme'
/** Tables that were added since the oldest of the stores. */
const NEWER = [
  'bucket_moves',
  'buckets',
  'key_moves',
  'key_places',
  'activities',
  'comment_mail_items',
  'comment_mail_results',
  'comment_mailings',
  'database_clock',
  'database_epochs',
  'deleted_private_threads',
  'notification_preferences',
  'notification_recipients',
  'notifications',
  'thread_comments',
  'thread_users',
  'threads',
  'device_authorizations',
  'disabled_users',
  'domain_requests',
  'usage_days',
  'usage_hours',
  'invitations',
  'invitation_mails',
  'login_links',
  'findings_mails',
  'mail_addresses',
  'operator_identities',
  'passkeys',
  'passkey_challenges',
  'search_entries',
  'sso_configs',
  'sso_domains',
  'sso_sign_ins',
  'user_access_revocations',
]

for (const version of readdirSync(STORES))
  describe(`a store of ${version}`, () => {
    const folder = path.join(STORES, version)
    const { settings, madeAt, callers, answers }: Recorded = JSON.parse(
      readFileSync(path.join(folder, 'answers.json'), 'utf8'),
    )
    let db: Db
    let none: Client
    let key: Client
    const stops: (() => Promise<void>)[] = []

    beforeAll(async () => {
      // The clock stands still at the time of the recording, so that its tokens have not expired.
      const store = await createStore({ now: () => new Date(madeAt) })
      db = store.db
      await db.script(EMPTY)
      await db.script(gunzipSync(readFileSync(path.join(folder, 'store.sql.gz'))).toString())
      await migrate(db, readMigrations(), rebaseAfterRestore)
      const config = readConfig({ ...settings, PORT: '0' })
      const app = await buildApp({ config, masterKey: MASTER_KEY, db, log: createLog('error') })
      await app.http.listen({ host: '127.0.0.1', port: 0 })
      stops.push(app.stop, () => db.close(), store.remove)
      none = createClient(listeningUrl(app.http, '127.0.0.1'))
      key = none.with(callers.apiKey)
    })
    cleanUp(async () => {
      for (const stop of stops) await stop()
    })

    it('has the current schema after the start', async () => {
      assert.equal(await schemaIsCurrent(db), true)
      assert.equal(await schemaAsSql(db), readFileSync(SCHEMA, 'utf8'))
    })

    it('has the structure that every change must keep', async () => {
      const { rows } = await db.query('select organization_key from organizations')
      await assertStructure(
        db,
        (rows as { organization_key: OrganizationKey }[]).map(({ organization_key }) => organization_key),
      )
    })

    it('still has rows in every table that it had', async () => {
      const empty: string[] = []
      for (const table of Object.keys(TABLES)) {
        if (NEWER.includes(table)) continue
        const { rows } = await db.query(`select from ${table} limit 1`)
        if (rows.length === 0) empty.push(table)
      }
      assert.deepEqual(empty, [])
    })

    for (const { answer, ...question } of answers)
      it(`returns the same for ${question.path} (${question.as}) as before`, async () => {
        assert.partialDeepStrictEqual(await ask(none, callers, question), answer)
      })

    it('finds what was stored before', async () => {
      for (const kind of ['organization', 'folder', 'document', 'user', 'userGroup'] as const) {
        const { rows } = await db.query('select id from search_entries where kind = $1::search_kind limit 1', [kind])
        const [{ id }] = rows as [{ id: string }]
        const found = await key.call(runSearch, { query: id, kinds: [kind] })
        assert.ok(
          found.some((one) => one.id === id),
          `${kind} ${id}`,
        )
      }
    })

    it('accepts writes: documents, grants, tokens, endpoints, keys', async () => {
      const events = async () =>
        Number(((await db.query('select count(*) from events')).rows as [{ count: string }])[0].count)
      const before = await events()
      await key.call(addDocuments, { organizationId, folderId: 'plans', documents: [{ documentId: 'later' }] })
      assert.equal((await key.call(getDocuments, { organizationId, documentIds: ['later'] })).length, 1)
      const resource = { type: 'document', id: 'later', organizationId } as const
      const decide = () => key.call(checkPermissions, { checks: [{ userId: 'eve', resource }] })
      const denied = await decide()
      await key.call(addPermissions, {
        user: { userId: 'eve' },
        permissions: { resources: [{ ...resource, accessRole: 'viewer' }] },
      })
      assert.notDeepEqual(await decide(), denied)
      await key.call(generateToken, { userId: 'eve' })
      await key.call(createWebhookEndpoint, { url: 'https://receiver.invalid/', filterTypes: ['never.sent'] })
      const owner = none.with(callers.workspace)
      await owner.call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })
      assert.ok((await events()) >= before + 6)
    })

    it('can delete its API key with all its data', async () => {
      const apiKey = callers.apiKey['x-service-api-key'] ?? ''
      await none.with(callers.workspace).call(deleteApiKey, { apiKey, apiKeyName: 'Main' })
      assert.equal((await key.post(getDocuments.path, { organizationId })).http, 401)
    })
  })
