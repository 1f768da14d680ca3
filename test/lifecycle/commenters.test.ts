/**
 * The migration that adds the role `commenter` to stores of earlier versions: all missing files run in one transaction,
 * and then the role can be used.
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
const STORE = `
insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar) values ('w', 'W', 'old', 'o@example.com', 'O', '');
insert into api_keys (api_key_id, workspace_id, name, type, owner_email) values ('k', 'w', 'K', 'testing', 'o@example.com');
insert into organizations (organization_key, api_key_id, organization_id, added_at) values ('${KEY}', 'k', 'acme', now());
insert into resources (organization_key, resource_key, kind, id, added_at) values ('${KEY}', '${KEY}', 'document', 'plan', now());
insert into grants (organization_key, resource_key, principal, kind, standing_role) values ('${KEY}', '${KEY}', 'v', 'document', 'viewer');
insert into grants (organization_key, resource_key, principal, kind, standing_role) values ('${KEY}', '${KEY}', 'e', 'document', 'editor');`

describe('a store without the role', () => {
  it('gets it between the other roles, for no key, and its grants do not change', async () => {
    const all = readMigrations()
    const at = all.findIndex(({ name }) => name === 'commenters')
    await db.script('drop schema public cascade; create schema public')
    await migrate(db, all.slice(0, at))
    await db.script(STORE)
    await migrate(db, all)
    await db.script(
      `insert into grants (organization_key, resource_key, principal, kind, standing_role) values ('${KEY}', '${KEY}', 'c', 'document', 'commenter')`,
    )
    const { rows } = await db.query('select principal, standing_role as role from grants order by standing_role')
    assert.deepEqual(rows, [
      { principal: 'v', role: 'viewer' },
      { principal: 'c', role: 'commenter' },
      { principal: 'e', role: 'editor' },
    ])
    assert.deepEqual((await db.query('select has_commenter from api_keys')).rows, [{ has_commenter: false }])
  })
})
