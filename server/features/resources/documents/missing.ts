/** Adds a document for a call that is not about documents (rules/resources.md#unknown-ids). */
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { FIND_RESOURCE } from '#tenancy/existence.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'
import { ADD_DOCUMENTS } from './statements.ts'

/**
 * Adds a document at the top of its organization unless it was added, in the transaction of `session`, which has locked the
 * organization. It adds nothing under the old id of a migrated document, and returns the new id.
 */
export async function addMissingDocument(
  session: Session,
  caller: Caller,
  { documentId, ...organization }: OrganizationRow & { documentId: string },
): Promise<{ migratedTo?: string }> {
  const [found] = await session.run(FIND_RESOURCE, [organization.organizationKey, 'document', documentId])
  if (found !== undefined && found.resourceKey === null && found.migratedTo !== null)
    return { migratedTo: found.migratedTo }
  const row = {
    ...organization,
    req: 0,
    documentId,
    name: null,
    metadata: {},
    accessType: null,
    disabled: false,
    folderId: null,
    createFolder: false,
    isLocked: true,
    actor: caller.actor,
  }
  const [added] = await session.runSet(ADD_DOCUMENTS, [row])
  if (added?.outcome === 'organization_does_not_exist') throw organizationDoesNotExist()
  return {}
}
