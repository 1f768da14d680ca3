/**
 * Decides about documents within the transaction of another feature. The permission provider of the API key is not asked: a page
 * has called `permissions/check` before it shows a document.
 */
import type { AccessRole } from '#contract/access/permissions.ts'
import type { Session } from '#platform/db/db.ts'
import type { Caller, UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { documentDoesNotExist } from '#tenancy/refusals.ts'
import type { DecidedRow } from '../decision/rows.ts'
import { DECIDE } from '../decision/statement.ts'

/** Returns whether a folder of the organization is open to the user of the call. */
export async function isOpenFolder(
  session: Pick<Session, 'runSet'>,
  caller: UserCaller,
  organizationId: string,
  folderId: string,
): Promise<boolean> {
  const [decision] = await session.runSet(DECIDE, [rowOf(caller, organizationId, 'folder', caller.userId, folderId)])
  return decision?.allowed === true
}

/** Returns the decision about each pair of a user and a document of the organization, in the order of the pairs. */
export async function decideDocuments(
  session: Pick<Session, 'runSet'>,
  caller: DecidingCaller,
  organizationId: string,
  pairs: readonly { userId: string; documentId: string }[],
): Promise<DecidedRow[]> {
  if (pairs.length === 0) return []
  return session.runSet(
    DECIDE,
    pairs.map(({ userId, documentId }) => rowOf(caller, organizationId, 'document', userId, documentId)),
  )
}

type DecidingCaller = Pick<Caller, 'apiKeyId' | 'defaultAccessType'> & {
  /** Null: users without a grant get no role. */
  defaultAccessRole: Caller['defaultAccessRole'] | null
}

const rowOf = (
  caller: DecidingCaller,
  organizationId: string,
  kind: 'document' | 'folder',
  userId: string,
  resourceId: string,
) => ({
  req: 0,
  organizationKey: organizationKey(caller, organizationId),
  kind,
  resourceId,
  userId,
  defaultAccessType: caller.defaultAccessType,
  defaultAccessRole: caller.defaultAccessRole,
  atLeast: null,
})

/** Returns the role of the caller on each of the documents that are open to them. */
export async function openDocuments(
  session: Pick<Session, 'runSet'>,
  caller: UserCaller,
  organizationId: string,
  documentIds: readonly string[],
): Promise<Map<string, AccessRole>> {
  const { userId } = caller
  const pairs = documentIds.map((documentId) => ({ userId, documentId }))
  const decisions = await decideDocuments(session, caller, organizationId, pairs)
  return new Map(
    documentIds.flatMap((documentId, index): [string, AccessRole][] => {
      const { allowed = false, accessRole = null } = decisions[index] ?? {}
      return allowed && accessRole !== null ? [[documentId, accessRole]] : []
    }),
  )
}

/** Returns the role of the caller on a document. Refuses one that is not open to them in the words for one that does not exist. */
export async function requireOpenDocument(
  session: Pick<Session, 'runSet'>,
  caller: UserCaller,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<AccessRole> {
  const role = (await openDocuments(session, caller, organizationId, [documentId])).get(documentId)
  if (role === undefined) throw documentDoesNotExist()
  return role
}
