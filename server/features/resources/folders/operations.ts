/** Adding folders (decisions C2, C4). */
import { type BatchResult, failed, type ItemResult } from '#contract/envelope.ts'
import type { addFolders, FolderInput } from '#contract/folders.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf } from '#contract/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/caller.ts'
import { organizationKey } from '#tenancy/keys.ts'
import { changeOrganizations, lockOrganizations, type OrganizationRow } from '#tenancy/organization-writes.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import { ADD_FOLDERS, type FolderOutcome } from './statements.ts'

/** `parentFolderId` of folders at the top; no folder can have it as its id. */
const ROOT = 'root'

export type Folders = ReturnType<typeof createFolders>

export function createFolders(db: Db) {
  return {
    async add(
      caller: Caller,
      { organizationId, createOrganization = false, folders }: DataOf<typeof addFolders>,
    ): Promise<BatchResult> {
      const organization: OrganizationRow = {
        organizationKey: organizationKey(caller, organizationId),
        apiKeyId: caller.apiKeyId,
        organizationId,
        createOrganization,
      }
      const byId = new Map(folders.map((folder) => [folder.folderId, folder]))
      const results = new Map<string, ItemResult>([...byId.keys()].map((id) => [id, insideItself(id)]))
      await changeOrganizations(db, [organization.organizationKey], async (session) => {
        const [locked = organization] = await lockOrganizations(session, [organization])
        let depth = 0
        for (const generation of generations(byId)) {
          // No statement for what cannot be: the lock of the organization is held meanwhile.
          if (++depth > LIMITS.folderDepthMax) {
            for (const { folderId } of generation) results.set(folderId, resultOf(folderId, 'too_deep'))
            continue
          }
          const rows = generation.map(({ folderId, folderName, parentFolderId, accessType }) => ({
            ...locked,
            folderId,
            name: folderName ?? null,
            parentId: parentFolderId === undefined || parentFolderId === ROOT ? null : parentFolderId,
            accessType: accessType ?? null,
            folderDepthMax: LIMITS.folderDepthMax,
            actor: caller.actor,
          }))
          const outcomes = await session.runSet(ADD_FOLDERS, rows)
          if (outcomes.some(({ outcome }) => outcome === 'organization_does_not_exist'))
            throw organizationDoesNotExist()
          for (const { folderId, outcome } of outcomes) results.set(folderId, resultOf(folderId, outcome))
        }
      })
      return Object.fromEntries(results)
    },
  }
}

/** Folders of one call, parents before children: those whose parent is not in the call first, then their children, and so on. */
function* generations(byId: ReadonlyMap<string, FolderInput>): Generator<FolderInput[]> {
  const left = new Map(byId)
  left.delete(ROOT)
  while (left.size > 0) {
    const ready = [...left.values()].filter(
      ({ parentFolderId }) => parentFolderId === undefined || !left.has(parentFolderId),
    )
    if (ready.length === 0) return // what is left has itself above itself
    for (const { folderId } of ready) left.delete(folderId)
    yield ready
  }
}

const insideItself = (id: string): ItemResult =>
  failed(
    id,
    'invalid-argument',
    id === ROOT
      ? '"root" names the top of the organization and cannot be a folder.'
      : 'The folder would be inside itself.',
  )

function resultOf(id: string, outcome: FolderOutcome['outcome']): ItemResult {
  switch (outcome) {
    case 'ok':
      return { success: true, id, message: 'Folder created successfully.' }
    case 'already_exists':
      return failed(id, 'already-exists', 'The folder already exists.')
    case 'too_deep':
      return failed(id, 'invalid-argument', `Folders nest at most ${LIMITS.folderDepthMax} deep.`)
    default:
      return failed(id, 'not-found', 'The parent folder does not exist.')
  }
}
