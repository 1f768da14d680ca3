/**
 * The migration for the search for threads: comments of earlier versions get their words, and so do comments that
 * earlier servers write afterwards.
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
const CONTENT =
  '{"from": {"userId": "u"}, "status": {"id": "OPEN", "type": "default"}, "visibility": {"type": "public"}}'
const STORE = `
insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar) values ('w', 'W', 'old', 'o@example.com', 'O', '');
insert into api_keys (api_key_id, workspace_id, name, type, owner_email) values ('k', 'w', 'K', 'testing', 'o@example.com');
insert into organizations (organization_key, api_key_id, organization_id, added_at) values ('${KEY}', 'k', 'acme', now());
insert into resources (organization_key, resource_key, kind, id, added_at) values ('${KEY}', '${KEY}', 'document', 'plan', now());
insert into threads (organization_key, resource_key, annotation_id, created_at, last_updated, content, comments_written, last_position, comment_count, bytes)
values ('${KEY}', '${KEY}', 't', now(), now(), '${CONTENT}', 3, 3, 3, 9);`
const commentOf = (id: number, texts: string) => `
insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
values ('${KEY}', '${KEY}', 't', ${id}, ${id}, now(), now(), '{"from": {"userId": "u"}, ${texts}}', 9);`

describe('a store with comments of an earlier version', () => {
  it('has the words of all of them afterwards, and of comments that a server of that version writes later', async () => {
    const all = readMigrations()
    const at = all.findIndex(({ name }) => name === 'threads_are_found')
    await db.script('drop schema public cascade; create schema public')
    await migrate(db, all.slice(0, at))
    await db.script(
      STORE + commentOf(1, '"commentText": "Ça va?"') + commentOf(2, '"commentHtml": "<p>One<br>two</p>"'),
    )
    await migrate(db, all)
    await db.script(commentOf(3, '"commentText": "later"'))
    await db.script(`update thread_comments set content = content || '{"commentText": "changed"}' where comment_id = 2`)
    const { rows } = await db.query(
      `select api_key_id as key, array(select substr(token, 7) from unnest(tsvector_to_array(words)) as token) as words
         from thread_comments order by comment_id`,
    )
    assert.deepEqual(rows, [
      { key: 'k', words: ['ca', 'va'] },
      { key: 'k', words: ['changed'] },
      { key: 'k', words: ['later'] },
    ])
  })
})
