/** Adds one folder in another for a call that is not about folders (rules/resources.md#unknown-ids). */
import { LIMITS } from '#contract/core/limits.ts'
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { lockOrganizations } from '#tenancy/writes/organization.ts'
import { ROOT } from './records.ts'
import { ADD_FOLDERS } from './statements.ts'

/** A folder, and the folder that it is to be in. */
interface Placed {
  organizationId: string
  folderId: string
  parentFolderId: string
}

/** `there`: the folder is there after the call, or may be added at the top. */
export type Placing = 'there' | 'parent_does_not_exist' | 'too_deep'

/**
 * Adds a folder directly in an existing one, in the transaction of `session`, under the lock that `folders.add` takes.
 * An existing folder is not moved. At the top (`root`) this does nothing, because a folder is added there by default.
 */
export async function placeFolder(session: Session, caller: Caller, placed: Placed): Promise<Placing> {
  const { organizationId, folderId, parentFolderId } = placed
  if (parentFolderId === ROOT) return 'there'
  const row = {
    organizationKey: organizationKey(caller, organizationId),
    apiKeyId: caller.apiKeyId,
    organizationId,
    createOrganization: false, // the parent would not exist in it
    folderId,
    fields: {},
    parentId: parentFolderId,
    accessType: null,
    folderDepthMax: LIMITS.folderDepthMax,
    actor: caller.actor,
  }
  const [added] = await session.runSet(ADD_FOLDERS, await lockOrganizations(session, [row]))
  if (added?.outcome === 'too_deep') return 'too_deep'
  return added?.outcome === 'ok' || added?.outcome === 'already_exists' ? 'there' : 'parent_does_not_exist'
}
