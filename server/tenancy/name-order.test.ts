/** Lists by name (rules/contract.md#lists-by-name), for every kind of object with a name. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import type { Operation } from '#contract/core/operation.ts'
import { addDocuments, getDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { addFolders, getFolders } from '#contract/resources/folders.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, getUserGroups } from '#contract/users/user-groups.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { refused, refusedField } from '../../test/conformance/support/refused.ts'

const server = await sharedServer()
const organizationId = 'acme'

/** Ids and names, by name: without regard to case and accents, by the id where there is no name, and by ids where names are equal. */
const NAMED: readonly (readonly [id: string, name: string | undefined])[] = [
  ['z9', 'Äpfel'],
  ['banana', undefined],
  ['a1', 'émile'],
  ['B1', 'Emilia'],
  ['c1', 'plans'],
  ['c2', 'Plans'],
  ['a0', 'Zoë'],
  // No index could hold the whole of it: each character is folded to 18.
  ['long', '\uFDFA'.repeat(LIMITS.nameCharactersMax)],
]
const IDS = NAMED.map(([id]) => id)
const shuffled = NAMED.toSorted(([one], [other]) =>
  one.split('').reverse().join() < other.split('').reverse().join() ? -1 : 1,
)

interface List {
  operation: Pick<Operation, 'path'>
  data: object
  fill: (key: Client) => Promise<unknown>
  idsOf: (result: never) => string[]
}

const inOrganization = (key: Client) => key.call(addOrganizations, { organizations: [{ organizationId }] })
const folders = shuffled.map(([folderId, folderName]) => ({ folderId, ...(folderName && { folderName }) }))
const documents = shuffled.map(([documentId, documentName]) => ({ documentId, ...(documentName && { documentName }) }))
const folderIds = (found: { folderId: string }[]) => found.map(({ folderId }) => folderId)
const ids = (found: { id: string }[]) => found.map(({ id }) => id)

const LISTS: Record<string, List> = {
  organizations: {
    operation: getOrganizations,
    data: {},
    fill: (key) =>
      key.call(addOrganizations, {
        organizations: shuffled.map(([organizationId, organizationName]) => ({
          organizationId,
          ...(organizationName && { organizationName }),
        })),
      }),
    idsOf: ids,
  },
  'folders at the top': {
    operation: getFolders,
    data: { organizationId, rootFoldersOnly: true },
    fill: async (key) => {
      await inOrganization(key)
      await key.call(addFolders, { organizationId, folders })
      await key.call(addFolders, { organizationId, folders: [{ folderId: 'inside', parentFolderId: 'a0' }] })
    },
    idsOf: folderIds,
  },
  'folders in a folder': {
    operation: getFolders,
    data: { organizationId, parentFolderId: 'top' },
    fill: async (key) => {
      await inOrganization(key)
      await key.call(addFolders, { organizationId, folders: [{ folderId: 'top' }] })
      const inside = folders.map((folder) => ({ ...folder, parentFolderId: 'top' }))
      await key.call(addFolders, { organizationId, folders: inside })
    },
    idsOf: folderIds,
  },
  'documents at the top': {
    operation: getDocuments,
    data: { organizationId, folderId: 'root' },
    fill: async (key) => {
      await inOrganization(key)
      await key.call(addDocuments, { organizationId, documents })
    },
    idsOf: ids,
  },
  'documents in a folder': {
    operation: getDocuments,
    data: { organizationId, folderId: 'top' },
    fill: async (key) => {
      await inOrganization(key)
      await key.call(addFolders, { organizationId, folders: [{ folderId: 'top' }] })
      await key.call(addDocuments, { organizationId, folderId: 'top', documents })
      await key.call(addDocuments, { organizationId, documents: [{ documentId: 'elsewhere' }] })
    },
    idsOf: ids,
  },
  'user groups': {
    operation: getUserGroups,
    data: { organizationId },
    fill: async (key) => {
      await inOrganization(key)
      const organizationUserGroups = shuffled.map(([groupId, groupName]) => ({
        groupId,
        ...(groupName && { groupName }),
      }))
      await key.call(addUserGroups, { organizationId, organizationUserGroups })
    },
    idsOf: (found: { groupId: string }[]) => found.map(({ groupId }) => groupId),
  },
  profiles: {
    operation: listProfiles,
    data: {},
    fill: (key) =>
      key.call(setProfiles, { users: shuffled.map(([userId, name]) => ({ userId, ...(name && { name }) })) }),
    idsOf: ({ profiles }: { profiles: { userId: string }[] }) => profiles.map(({ userId }) => userId),
  },
}

async function read(key: Client, { operation, data, idsOf }: List, paging: object): Promise<string[]> {
  const found: string[] = []
  for await (const page of pagesOf((pageToken) => key.post(operation.path, { ...data, ...paging, pageToken })))
    found.push(...idsOf(page.data as never))
  return found
}

describe('a list by name', () => {
  for (const [what, list] of Object.entries(LISTS))
    it(`of ${what} is in the order of folded names, from either end, on pages of any size, for its API key alone`, async () => {
      const key = await server.newKey()
      await list.fill(await server.newKey())
      await list.fill(key)
      for (const pageSize of [3, 100]) {
        assert.deepEqual(await read(key, list, { orderBy: 'name', pageSize }), IDS)
        assert.deepEqual(await read(key, list, { orderBy: 'name desc', pageSize }), IDS.toReversed())
      }
      assert.deepEqual(await read(key, list, { orderBy: 'id' }), await read(key, list, {}))
      const { body } = await key.post(list.operation.path, { ...list.data, orderBy: 'name', pageSize: 1 })
      const other = { ...list.data, orderBy: 'name desc', pageSize: 1, pageToken: body.result.nextPageToken }
      assert.equal(refused(await key.post(list.operation.path, other), 'INVALID_ARGUMENT').reason, 'page_token_invalid')
    })

  it('of documents can be combined with filters, and follows a new name', async () => {
    const key = await server.newKey()
    const list = LISTS['documents in a folder'] ?? assert.fail()
    await list.fill(key)
    const changed = [
      { documentId: 'a0', documentName: 'aa', kind: 'plan' },
      { documentId: 'c1', kind: 'plan' },
    ]
    await key.post(updateDocuments.path, { organizationId, documents: changed })
    assert.deepEqual(await read(key, list, { orderBy: 'name', pageSize: 2 }), [
      'a0',
      ...IDS.filter((id) => id !== 'a0'),
    ])
    const filters = [{ key: 'kind', operator: '==', value: 'plan' }]
    assert.deepEqual(await read(key, list, { orderBy: 'name desc', filters, pageSize: 1 }), ['c1', 'a0'])
  })

  it('of folders or documents covers one folder or the top level', async () => {
    const key = await server.newKey()
    await inOrganization(key)
    refusedField(await key.post(getFolders.path, { organizationId, orderBy: 'name' }), 'orderBy', /parentFolderId/)
    refusedField(await key.post(getDocuments.path, { organizationId, orderBy: 'name' }), 'orderBy', /folderId/)
    refusedField(await key.post(getOrganizations.path, { orderBy: 'created' }), 'orderBy')
  })
})
