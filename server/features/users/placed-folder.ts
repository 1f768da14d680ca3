/** The folder that `users.add` may create in another folder (rules/resources.md#unknown-ids). */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { addUsers } from '#contract/users/users.ts'
import { placeFolder } from '#features/resources/folders/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'

const FIELD = 'parentFolderId'

interface PlacedFolder {
  organizationId: string
  folderId: string
  parentFolderId: string
}

/** Returns the folder that a call may add, and where; undefined if the call does not say where. */
export function placedFolder(data: DataOf<typeof addUsers>): PlacedFolder | undefined {
  const { organizationId, folderId, createFolder, parentFolderId } = data
  if (parentFolderId === undefined) return undefined
  if (folderId !== undefined && createFolder) return { organizationId, folderId, parentFolderId }
  const message = `${FIELD} places the folder that createFolder makes, so folderId and createFolder: true are required`
  throw invalidArgument([{ field: FIELD, message }])
}

/** Adds the folder unless it exists, in the transaction of `session`. Throws INVALID_ARGUMENT if it cannot be where the call says. */
export async function addPlacedFolder(session: Session, caller: Caller, placed: PlacedFolder): Promise<void> {
  const outcome = await placeFolder(session, caller, placed)
  if (outcome === 'there') return
  if (outcome === 'too_deep') {
    const message = `${FIELD}: folders can be nested at most ${LIMITS.folderDepthMax} levels deep`
    throw invalidArgument([{ field: FIELD, message }])
  }
  const message = `${FIELD}: the folder "${placed.parentFolderId}" does not exist`
  throw invalidArgument([{ field: FIELD, message }], 'resource_does_not_exist')
}
