/**
 * The migration that remembers private threads: private threads that an earlier version deleted are found by their
 * events, also under a former id of the document.
 */
import assert from 'node:assert/strict'
import { afterAll, describe, it } from 'vitest'
import { migrate, readMigrations } from '#platform/db/migrate.ts'
import { createStore } from '#testing/server.ts'

const { db, remove } = await createStore()
afterAll(async () => {
  await db.close()
  await remove()
})

const KEY = '11111111-1111-1111-1111-111111111111'
const OTHER = '22222222-2222-2222-2222-222222222222'
const STORE = `
insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar) values ('w', 'W', 'old', 'o@example.com', 'O', '');
insert into api_keys (api_key_id, workspace_id, name, type, owner_email) values ('k', 'w', 'K', 'testing', 'o@example.com');
insert into organizations (organization_key, api_key_id, organization_id, added_at) values ('${KEY}', 'k', 'acme', now());
insert into resources (organization_key, resource_key, kind, id, added_at) values ('${KEY}', '${KEY}', 'document', 'plan', now());
insert into resources (organization_key, resource_key, kind, id, added_at) values ('${KEY}', '${OTHER}', 'document', 'other', now());
insert into document_aliases (organization_key, document_id, resource_key) values ('${KEY}', 'former', '${KEY}');`

let sequence = 0
/** An activity about a thread, and the event of the deletion of that thread. */
const deleted = (thread: string, on: string, visibility: string, featureType = 'custom') => `
insert into activities (organization_key, resource_key, activity_id, feature_type, action_type, actor_id, target_entity_id, is_immutable, content)
values ('${KEY}', '${KEY}', 'about ${thread}', '${featureType}', 'done', 'u', '${thread}', false, '{}');
insert into events (stream, sequence, type, api_key_id, organization_id, resource_kind, resource_id, actor, before, tick)
values ('${KEY}', ${++sequence}, 'thread.deleted', 'k', 'acme', 'document', '${on}', '{}', '{"annotationId": "${thread}", "visibility": "${visibility}"}', ${sequence});`

describe('a store whose private threads an earlier version deleted', () => {
  it('remembers those with activities about them, and no public ones', async () => {
    const all = readMigrations()
    const at = all.findIndex(({ name }) => name === 'deleted_private_threads')
    await db.script('drop schema public cascade; create schema public')
    await migrate(db, all.slice(0, at))
    await db.script(
      [
        STORE,
        deleted('restricted', 'plan', 'restricted'),
        deleted('of-organization', 'plan', 'organizationPrivate'),
        deleted('before-migration', 'former', 'restricted'),
        deleted('elsewhere', 'other', 'restricted'),
        deleted('public', 'plan', 'public'),
        // Activities that the service records about comments are hidden with every deleted thread.
        deleted('of-comments', 'plan', 'restricted', 'comment'),
      ].join(''),
    )
    await migrate(db, all)
    const { rows } = await db.query(
      'select resource_key as document, annotation_id as thread, hides_until as until from deleted_private_threads order by annotation_id',
    )
    assert.deepEqual(
      (rows as { document: string; thread: string; until: unknown }[]).map(({ document, thread, until }) => [
        document,
        thread,
        String(until),
      ]),
      ['before-migration', 'of-organization', 'restricted'].map((thread) => [KEY, thread, 'Infinity']),
    )
  })
})
