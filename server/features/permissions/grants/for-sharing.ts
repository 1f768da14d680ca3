/** Writes grants on one document for a user who shares it, in their transaction (rules/access.md#sharing). */
import type { AccessRole } from '#contract/access/permissions.ts'
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { principalIn } from '#tenancy/principals.ts'
import { ADD_PERMISSIONS } from './add-statements.ts'
import { markHolders } from './group-holders.ts'
import { writtenGrants } from './merged.ts'
import { REMOVE_PERMISSIONS } from './statements.ts'

/** A document that is shared, and whose doing it is. */
export interface SharedDocument {
  apiKeyId: ApiKeyId
  organizationKey: OrganizationKey
  organizationId: string
  documentId: string
  expiringSoonSeconds: number
  actor: Actor
}

export interface ReplacedGrant {
  principal: string
  accessRole: AccessRole
  expiresAt: number | undefined
}

/**
 * Makes each grant the only one of its principal on the document. Each principal is named once, and each group exists.
 * Runs under the lock of the organization.
 */
export async function replaceGrants(
  session: Session,
  document: SharedDocument,
  grants: readonly ReplacedGrant[],
): Promise<void> {
  const { organizationKey } = document
  const holders = grants.flatMap(({ principal }) => {
    const holder = principalIn(principal)
    return 'groupId' in holder ? [{ organizationKey, groupId: holder.groupId, field: 'grants' }] : []
  })
  if (holders.length > 0) await markHolders(session, holders)
  const rows = grants.map(({ principal, accessRole, expiresAt }) => ({
    ...rowOf(document, principal),
    ...writtenGrants({ accessRole, expiresAt, replaceExisting: true }),
    expiringSoonSeconds: document.expiringSoonSeconds,
    knownOnly: false,
  }))
  if (rows.length > 0) await session.runSet(ADD_PERMISSIONS, rows)
}

/** Revokes all grants of the principals on the document. Runs under the lock of the organization. */
export async function removeGrants(
  session: Session,
  document: SharedDocument,
  principals: readonly string[],
): Promise<void> {
  const rows = principals.map((principal) => ({ ...rowOf(document, principal), temporaryOnly: false }))
  if (rows.length > 0) await session.runSet(REMOVE_PERMISSIONS, rows)
}

const rowOf = (
  { apiKeyId, organizationKey, organizationId, documentId, actor }: SharedDocument,
  principal: string,
) => ({
  ...{ req: 0, apiKeyId, organizationKey, organizationId, createOrganization: false },
  ...{ kind: 'document' as const, resourceId: documentId, principal, actor },
})
