/**
 * Migrations of stored addresses: they fold only A to Z, so that no two addresses become one, and mark the addresses
 * that operators have proved.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { foldedAddress } from '#contract/core/addresses.ts'
import { migrate, readMigrations } from '#platform/db/migrate.ts'
import { inviteeOf } from '#tenancy/principals.ts'
import { createStore } from '#testing/server.ts'

const { db, remove } = await createStore()
afterAll(async () => {
  await db.close()
  await remove()
})

const [OWNER, ...OTHERS] = [
  'Zoë@example.com',
  'ZOE\u0308@example.com',
  '\u212aim@Example.com',
  'Ada@example.com',
] as const
const EMAILS = [OWNER, ...OTHERS]
const SEEN = new Date('2026-01-01T12:00:00Z')
const KEY = '11111111-1111-1111-1111-111111111111'

/** Rows that the stored addresses need. */
const STORE = `
insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar) values ('w', 'W', 'old', '${OWNER}', 'O', '');
insert into api_keys (api_key_id, workspace_id, name, type, owner_email) values ('k', 'w', 'K', 'testing', 'o@example.com');
insert into organizations (organization_key, api_key_id, organization_id, added_at) values ('${KEY}', 'k', 'acme', now());
insert into resources (organization_key, resource_key, kind, id, added_at) values ('${KEY}', '${KEY}', 'document', 'plan', now());`

beforeAll(async () => {
  const all = readMigrations()
  const at = all.findIndex(({ name }) => name.includes('folded_addresses'))
  await db.script('drop schema public cascade; create schema public')
  await migrate(db, all.slice(0, at))
  await db.script(STORE)
  for (const [index, email] of EMAILS.entries()) {
    const earlier = email.toLowerCase()
    await db.query(
      `with invited as (
         insert into invitations (organization_key, resource_key, kind, invitee, address, email, inviter, invited_by)
         values ($1, $1, 'document', chr(2) || $2, $2, $3, chr(2) || $2, jsonb_build_object('email', $3::text)))
       insert into events (stream, sequence, type, user_id, actor, after, tick)
       values ($1, $4, 'invitation.added', chr(2) || $2, '{}', jsonb_build_object('email', $3::text), 1)`,
      [KEY, earlier, email, index],
    )
    await db.query(
      `insert into operators (workspace_id, email, name, role, invited_by, last_seen_at)
       values ('w', $1, 'x', 'support', $2, $3)`,
      [email, index < 2 ? null : 'Kim', index % 2 === 0 ? SEEN : null],
    )
  }
  await db.script(`insert into login_links (link_hash, workspace_id, operator_id, created_at, expires_at)
    select 'link', workspace_id, operator_id, now(), now() from operators limit 1`)
  await migrate(db, all)
})

describe('addresses that were stored in the earlier form', () => {
  it('name invitations, their events and their inviters in the new form', async () => {
    const { rows } = await db.query(
      `select i.email, i.address, i.invitee, i.inviter, e.user_id as event
         from invitations i join events e on e.after ->> 'email' = i.email order by e.sequence`,
    )
    const expected = EMAILS.map((email) => {
      const invitee = inviteeOf(email)
      return { email, address: foldedAddress(email), invitee, inviter: invitee, event: invitee }
    })
    assert.deepEqual(rows, expected)
  })

  it('count the workspaces of an owner in the new form', async () => {
    const { rows } = await db.query('select owner_id as id from workspaces')
    assert.deepEqual(rows, [{ id: hash('sha256', `owner\0${foldedAddress(OWNER)}`).slice(0, 32) }])
  })
})

describe('operators from before addresses were confirmed', () => {
  it('have proved their address if they signed in and nobody invited them', async () => {
    const { rows } = await db.query(
      'select invited_by as inviter, last_seen_at as seen, address_confirmed_at as confirmed from operators order by inviter, seen',
    )
    assert.deepEqual(rows, [
      { inviter: 'Kim', seen: SEEN, confirmed: null },
      { inviter: 'Kim', seen: null, confirmed: null },
      { inviter: null, seen: SEEN, confirmed: SEEN },
      { inviter: null, seen: null, confirmed: null },
    ])
  })

  it('have links that their inviter may also know', async () => {
    const { rows } = await db.query('select is_mailed as "isMailed" from login_links')
    assert.deepEqual(rows, [{ isMailed: false }])
  })
})
