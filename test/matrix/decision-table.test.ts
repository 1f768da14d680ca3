/**
 * The full cross product: own access type of the document × of its folder × the key's defaults (access type, role) × the grant below the
 * organization (level, role, expiry) × membership (role, expiry) × disabled. Each cell is compared with the interpreter.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { getPermissions, type PermissionsByUser } from '#contract/access/decisions.ts'
import { addGrants } from '#contract/access/grants.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { setDisabled } from './build.ts'
import { NOW, type Table, tableOf, usersWith } from './cross-product.ts'
import { decisionOf } from './deciding-calls.ts'
import { decide, type Key, type Resource } from './interpreter.ts'
import { DEFAULTS, ROLES, rolesOf, settingsOf } from './worlds.ts'

const server = await startServer()

async function store(client: Client, { organization, outer, folders, documents }: Table): Promise<void> {
  const organizationId = organization.id
  const own = ({ accessType }: Resource) => (accessType === undefined ? {} : { accessType })
  await client.call(addFolders, {
    organizationId,
    createOrganization: true,
    folders: [
      { folderId: outer.id },
      ...folders.map((folder) => ({ folderId: folder.id, parentFolderId: outer.id, ...own(folder) })),
    ],
  })
  for (const folder of folders) {
    const inside = documents.filter(({ parent }) => parent === folder)
    await client.call(addDocuments, {
      organizationId,
      folderId: folder.id,
      documents: inside.map((document) => ({ documentId: document.id, ...own(document) })),
    })
  }
  const everything = [organization, outer, ...folders, ...documents]
  const all = everything.flatMap(({ type, id, grants }) =>
    [...grants].flatMap(([userId, held]) =>
      held.map(({ role, ...expiry }) => ({ userId, type, id, organizationId, accessRole: role, ...expiry })),
    ),
  )
  for (let from = 0; from < all.length; from += LIMITS.itemsPerCallMax)
    await client.call(addGrants, { grants: all.slice(from, from + LIMITS.itemsPerCallMax) })
  const sets = [
    [`update organizations set disabled = $3 where api_key_id = $1 and organization_id = $2`, organization.disabled],
    [
      `update resources set disabled = id like $3 where kind = 'document' and organization_key =
       (select organization_key from organizations where api_key_id = $1 and organization_id = $2)`,
      'disabled %',
    ],
  ] as const
  for (const [text, value] of sets)
    await server.db.query(text, [client.headers['x-service-api-key'], organizationId, value])
}

/** A call decides 10,000 pairs at most. */
const USERS_AT_ONCE = 200

/** Checks all cells and returns their number. */
async function compare(client: Client, table: Table, state: Key): Promise<number> {
  const { organization, outer, folders, documents, users } = table
  const answer: PermissionsByUser = {}
  for (let from = 0; from < users.length; from += USERS_AT_ONCE)
    Object.assign(
      answer,
      await client.call(getPermissions, {
        organizationId: organization.id,
        userIds: users.slice(from, from + USERS_AT_ONCE).map(({ id }) => id),
        folderIds: [outer, ...folders].map(({ id }) => id),
        documentIds: documents.map(({ id }) => id),
      }),
    )
  const places = { organization: [organization], folders: [outer, ...folders], documents }
  let cells = 0
  for (const { id: user } of users)
    for (const [place, resources] of Object.entries(places))
      for (const resource of resources) {
        const entry = answer[user]?.[place as keyof typeof places]?.[resource.id] ?? assert.fail('left out')
        const wanted = decide(resource, user, NOW, state)
        assert.deepEqual(decisionOf(entry), wanted, `${resource.id}; user with ${user}`)
        cells++
      }
  return cells
}

describe('the decision table', () => {
  for (const defaults of DEFAULTS)
    for (const disabled of defaults.hasCommenter ? [false] : [false, true])
      it(`holds with key default ${defaults.accessType} as ${defaults.accessRole}${defaults.hasCommenter ? ' with commenters' : ''}${disabled ? ' in a disabled organization' : ''}`, async (t) => {
        const key = await server.newKey()
        await key.call(updateKeyConfig, settingsOf(defaults))
        const table = tableOf('o', disabled, usersWith(rolesOf(defaults)))
        await store(key, table)
        server.clock.set(new Date(NOW * 1000))
        t.annotate(`${await compare(key, table, defaults)} cells`)
      })

  it('holds for disabled users', async (t) => {
    const key = await server.newKey()
    const table = tableOf('o', false, usersWith(ROLES))
    await store(key, table)
    const disabledUsers = table.users.map(({ id }) => id)
    await setDisabled(key, disabledUsers, true)
    server.clock.set(new Date(NOW * 1000))
    t.annotate(`${await compare(key, table, { accessType: 'public', accessRole: 'editor', disabledUsers })} cells`)
  })
})
