/**
 * The full cross product: own access type of the document × of its folder × the key's default × the grant below the
 * organization (level, role, expiry) × membership (role, expiry) × disabled. Each cell of the server against the interpreter.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getPermissions } from '#contract/decisions.ts'
import { addDocuments } from '#contract/documents.ts'
import { addFolders } from '#contract/folders.ts'
import { updateKeyConfig } from '#contract/key-config.ts'
import { type AccessType, addPermissions } from '#contract/permissions.ts'
import type { Client } from '../support/client.ts'
import { startServer } from '../support/server.ts'
import { decisionOf } from './answers.ts'
import { decide, type Grant, type Resource } from './interpreter.ts'
import { ACCESS_TYPES } from './worlds.ts'

/** Unix seconds. */
const NOW = 1_000
const OWN_ACCESS_TYPES = [undefined, ...ACCESS_TYPES]
const GRANTS: Grant[] = (['viewer', 'editor'] as const).flatMap((role) => [
  { role },
  { role, expiresAt: NOW },
  { role, expiresAt: NOW + 1 },
])
const LEVELS = ['outer folder', 'folder', 'document'] as const

/** Users differ in what they hold: below the organization, and on it. */
interface User {
  id: string
  below?: { level: (typeof LEVELS)[number]; grant: Grant }
  membership?: Grant
}

const nameOf = (grant: Grant | undefined) => (grant === undefined ? 'none' : `${grant.role} until ${grant.expiresAt}`)

const USERS: User[] = [undefined, ...LEVELS.flatMap((level) => GRANTS.map((grant) => ({ level, grant })))].flatMap(
  (below) =>
    [undefined, ...GRANTS].map((membership) => {
      const where = below === undefined ? 'nothing below' : `${below.level}: ${nameOf(below.grant)}`
      return {
        id: `${where}, organization: ${nameOf(membership)}`,
        ...(below && { below }),
        ...(membership && { membership }),
      }
    }),
)

const server = await startServer()

interface Table {
  organization: Resource
  outer: Resource
  folders: Resource[]
  documents: Resource[]
}

/** An outer folder without an own access type; in it a folder of each; in those documents of each, one of two disabled. */
function tableOf(id: string, disabled: boolean): Table {
  const resource = (type: Resource['type'], name: string, parent?: Resource, more: Partial<Resource> = {}) => ({
    type,
    id: name,
    ...(parent && { parent }),
    disabled: false,
    grants: new Map<string, Grant>(),
    ...more,
  })
  const organization = resource('organization', id, undefined, { disabled })
  const outer = resource('folder', 'outer', organization)
  const folders = OWN_ACCESS_TYPES.map((accessType) =>
    resource('folder', `folder ${accessType}`, outer, { accessType }),
  )
  const documents = folders.flatMap((folder) =>
    OWN_ACCESS_TYPES.flatMap((accessType) =>
      [false, true].map((isDisabled) => {
        const name = `${isDisabled ? 'disabled ' : ''}document ${accessType} in ${folder.id}`
        return resource('document', name, folder, { accessType, disabled: isDisabled })
      }),
    ),
  )
  for (const { id: user, below, membership } of USERS) {
    if (membership !== undefined) organization.grants.set(user, membership)
    const at = below && { 'outer folder': [outer], folder: folders, document: documents }[below.level]
    for (const { grants } of at ?? []) grants.set(user, below?.grant ?? { role: 'viewer' })
  }
  return { organization, outer, folders, documents }
}

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
  await Promise.all(
    USERS.map(async ({ id: userId }) => {
      const resources = everything.flatMap(({ type, id, grants }) => {
        const grant = grants.get(userId)
        if (grant === undefined) return []
        const { role, ...expiry } = grant
        return [{ type, id, organizationId, accessRole: role, ...expiry }]
      })
      if (resources.length > 0) await client.call(addPermissions, { user: { userId }, permissions: { resources } })
    }),
  )
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

/** Asks about everything at once and answers how many cells there were. */
async function compare(client: Client, table: Table, defaultAccessType: AccessType): Promise<number> {
  const { organization, outer, folders, documents } = table
  const answer = await client.call(getPermissions, {
    organizationId: organization.id,
    userIds: USERS.map(({ id }) => id),
    folderIds: [outer, ...folders].map(({ id }) => id),
    documentIds: documents.map(({ id }) => id),
  })
  const places = { organization: [organization], folders: [outer, ...folders], documents }
  let cells = 0
  for (const { id: user } of USERS)
    for (const [place, resources] of Object.entries(places))
      for (const resource of resources) {
        const entry = answer[user]?.[place as keyof typeof places]?.[resource.id] ?? assert.fail('left out')
        const wanted = decide(resource, user, NOW, defaultAccessType)
        assert.deepEqual(decisionOf(entry), wanted, `${resource.id}; user with ${user}`)
        cells++
      }
  return cells
}

describe('the decision table', () => {
  for (const defaultAccessType of ACCESS_TYPES)
    for (const disabled of [false, true])
      it(`holds with key default ${defaultAccessType}${disabled ? ' in a disabled organization' : ''}`, async (t) => {
        const key = await server.newKey()
        await key.call(updateKeyConfig, { defaultDocumentAccessType: defaultAccessType })
        const table = tableOf('o', disabled)
        await store(key, table)
        server.clock.set(new Date(NOW * 1000))
        t.diagnostic(`${await compare(key, table, defaultAccessType)} cells`)
      })
})
