/**
 * Concurrent changes of the structure of an organization from several processes: folders, documents, grants and
 * organizations are added, moved, given access types and deleted. Each call has one clear outcome, and the stored
 * structure is consistent after any order.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { createPermissions } from '#features/permissions/grants/operations.ts'
import { createDocuments } from '#features/resources/documents/operations.ts'
import { createFolders } from '#features/resources/folders/operations.ts'
import { createOrganizations } from '#features/resources/organizations/operations.ts'
import { createUsers } from '#features/users/operations.ts'
import type { Db } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { createPageTokens } from '#platform/secrets/page-token.ts'
import { StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { createDatabase, createStore, ENGINE, MASTER_KEY } from '#testing/server.ts'
import { assertStructure } from '../matrix/structure.ts'
import { createCaller } from './serial-world.ts'

const RUNS = 15
const FOLDERS = ['f0', 'f1', 'f2', 'f3', 'f4', 'f5']
const DOCUMENTS = ['d0', 'd1', 'd2', 'd3']

/** Apps as in several processes, each with its own connections and queues. */
async function openStores(): Promise<{ dbs: [Db, ...Db[]]; close: () => Promise<void> }> {
  if (ENGINE === 'embedded') {
    const { db, remove } = await createStore()
    return { dbs: [db], close: () => db.close().then(remove) }
  }
  const { url, remove } = await createDatabase()
  const open = () => openPostgres(url, { now: () => null }, { connections: 6, statementTimeoutMs: 60_000 })
  const dbs: [Db, ...Db[]] = [await open(), await open(), await open()]
  return { dbs, close: () => Promise.all(dbs.map((db) => db.close())).then(remove) }
}

const { dbs, close } = await openStores()
afterAll(close)
const caller: Caller = await createCaller(dbs[0])
const processes = dbs.map((db) => {
  const pageTokens = createPageTokens(MASTER_KEY)
  return {
    organizations: createOrganizations({ db, pageTokens }),
    folders: createFolders({ db, pageTokens }),
    documents: createDocuments({ db, pageTokens }),
    permissions: createPermissions(db),
    users: createUsers({ db, pageTokens }),
  }
})
type Process = (typeof processes)[number]

const folder = fc.constantFrom(...FOLDERS)
const parent = fc.constantFrom(...FOLDERS, 'root')
const document = fc.constantFrom(...DOCUMENTS)
const accessType = fc.constantFrom('public' as const, 'restricted' as const, undefined)

type Call = (process: Process, organizationId: string) => Promise<unknown>

const addFolder = fc.record({ folder, parent, accessType }).map(({ folder, parent, accessType }): Call => {
  const input = { folderId: folder, parentFolderId: parent, ...(accessType === undefined ? {} : { accessType }) }
  return ({ folders }, organizationId) =>
    folders.add(caller, { organizationId, createOrganization: true, folders: [input] })
})
const moveFolder = fc.tuple(folder, parent).map(
  ([folderId, parentFolderId]): Call =>
    ({ folders }, organizationId) =>
      folders.update(caller, { organizationId, folders: [{ folderId, parentFolderId }] }),
)
const setAccess = fc.record({ folderIds: fc.subarray(FOLDERS, { minLength: 1 }), accessType }).map(
  ({ folderIds, accessType }): Call =>
    ({ folders }, organizationId) =>
      folders.setAccess(caller, {
        organizationId,
        folderIds,
        ...(accessType === undefined ? { inheritFromParent: true } : { accessType }),
      }),
)
const deleteFolder = folder.map(
  (folderId): Call =>
    ({ folders }, organizationId) =>
      folders.delete(caller, { organizationId, folderId }),
)
const addDocument = fc.tuple(document, folder).map(
  ([documentId, folderId]): Call =>
    ({ documents }, organizationId) =>
      documents.add(caller, { organizationId, folderId, createFolder: true, documents: [{ documentId }] }),
)
const moveDocument = fc.tuple(document, parent).map(
  ([documentId, folderId]): Call =>
    ({ documents }, organizationId) =>
      documents.move(caller, { organizationId, documentIds: [documentId], folderId }),
)
const deleteDocument = document.map(
  (documentId): Call =>
    ({ documents }, organizationId) =>
      documents.delete(caller, { organizationId, documentIds: [documentId] }),
)
const grant = fc.tuple(folder, document).map(
  ([folderId, documentId]): Call =>
    ({ permissions }, organizationId) =>
      permissions.add(caller, {
        user: { userId: 'ada' },
        permissions: {
          resources: [
            { type: 'document', id: documentId, organizationId },
            { type: 'folder', id: folderId, organizationId },
          ],
        },
      }),
)
const addUserInFolder = fc.tuple(folder, parent).map(
  ([folderId, parentFolderId]): Call =>
    ({ users }, organizationId) =>
      users.add(caller, {
        ...{ organizationId, folderId, createFolder: true, parentFolderId },
        users: [{ userId: 'ada' }],
      }),
)
const deleteOrganization = fc.constant<Call>(({ organizations }, organizationId) =>
  organizations.delete(caller, { organizationIds: [organizationId] }),
)

const call = fc.record({
  process: fc.nat({ max: processes.length - 1 }),
  organization: fc.constantFrom(0, 0, 1),
  make: fc.oneof(
    { weight: 5, arbitrary: addFolder },
    { weight: 5, arbitrary: moveFolder },
    { weight: 3, arbitrary: setAccess },
    { weight: 2, arbitrary: deleteFolder },
    { weight: 4, arbitrary: addDocument },
    { weight: 2, arbitrary: moveDocument },
    { weight: 1, arbitrary: deleteDocument },
    { weight: 4, arbitrary: grant },
    { weight: 3, arbitrary: addUserInFolder },
    { weight: 1, arbitrary: deleteOrganization },
  ),
})

let runs = 0

describe('changes of the structure', () => {
  it('leave no orphan, no cycle and no wrong path or boundary in any race', async (t) => {
    let refused = 0
    const property = fc.asyncProperty(fc.array(call, { minLength: 60, maxLength: 150 }), async (calls) => {
      const ids = [`structure${runs}-0`, `structure${runs}-1`]
      runs++
      await Promise.all(
        calls.map(async ({ process, organization, make }) => {
          try {
            await make(processes[process] ?? assert.fail(), ids[organization] ?? '')
          } catch (error) {
            assert.ok(error instanceof StatusError, String(error))
            assert.ok(error.status === 'NOT_FOUND' || error.reason === 'resource_does_not_exist', error.message)
            refused++
          }
        }),
      )
      await assertStructure(
        dbs[0],
        ids.map((id) => organizationKey(caller, id)),
      )
    })
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
    t.annotate(`calls refused because something does not exist: ${refused}`)
  })
})
