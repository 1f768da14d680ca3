/**
 * Decides about resources within the transaction of another feature. The permission provider of the API key is not asked: a page
 * has called `permissions/check` before it shows a document.
 */
import type { AccessRole, ResourceName } from '#contract/access/permissions.ts'
import type { Session } from '#platform/db/db.ts'
import type { Caller, UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKeys, owningOrganization } from '#tenancy/callers/keys.ts'
import { documentDoesNotExist } from '#tenancy/refusals.ts'
import type { DecidedRow } from '../decision/rows.ts'
import { DECIDE } from '../decision/statement.ts'

type DecidingCaller = Pick<Caller, 'apiKeyId' | 'defaultAccessType'> & {
  /** Null: users without a grant get no role. */
  defaultAccessRole: Caller['defaultAccessRole'] | null
}

/** Returns the decision about each pair of a user and a resource, in the order of the pairs. */
export async function decideResources(
  session: Pick<Session, 'runSet'>,
  caller: DecidingCaller,
  pairs: readonly { userId: string; resource: ResourceName }[],
): Promise<DecidedRow[]> {
  if (pairs.length === 0) return []
  const keyOf = organizationKeys(caller)
  const { defaultAccessType, defaultAccessRole } = caller
  return session.runSet(
    DECIDE,
    pairs.map(({ userId, resource }) => ({
      req: 0,
      organizationKey: keyOf(owningOrganization(resource)),
      kind: resource.type,
      resourceId: resource.id,
      ...{ userId, defaultAccessType, defaultAccessRole },
      atLeast: null,
    })),
  )
}

/** Decides about documents of one organization. */
export const decideDocuments = (
  session: Pick<Session, 'runSet'>,
  caller: DecidingCaller,
  organizationId: string,
  pairs: readonly { userId: string; documentId: string }[],
): Promise<DecidedRow[]> =>
  decideResources(
    session,
    caller,
    pairs.map(({ userId, documentId: id }) => ({ userId, resource: { type: 'document', id, organizationId } })),
  )

/** Returns whether a folder of the organization is open to the user of the call. */
export async function isOpenFolder(
  session: Pick<Session, 'runSet'>,
  caller: UserCaller,
  organizationId: string,
  folderId: string,
): Promise<boolean> {
  const resource = { type: 'folder', id: folderId, organizationId } as const
  const [decision] = await decideResources(session, caller, [{ userId: caller.userId, resource }])
  return decision?.allowed === true
}

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
