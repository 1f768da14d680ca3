/** Decides about users and resources of any kind for other features (rules/access.md#decision). */
import type { ResourceName } from '#contract/access/permissions.ts'
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKeys, owningOrganization } from '#tenancy/callers/keys.ts'
import type { DecidedRow } from '../decision/rows.ts'
import { DECIDE } from '../decision/statement.ts'

/** Returns the decision about each pair, in their order. */
export async function decideResources(
  db: Pick<Db, 'runSet'>,
  caller: Pick<Caller, 'apiKeyId' | 'defaultAccessType' | 'defaultAccessRole'>,
  pairs: readonly { userId: string; resource: ResourceName }[],
): Promise<DecidedRow[]> {
  if (pairs.length === 0) return []
  const keyOf = organizationKeys(caller)
  return db.runSet(
    DECIDE,
    pairs.map(({ userId, resource }) => ({
      req: 0,
      organizationKey: keyOf(owningOrganization(resource)),
      kind: resource.type,
      resourceId: resource.id,
      userId,
      defaultAccessType: caller.defaultAccessType,
      defaultAccessRole: caller.defaultAccessRole,
      atLeast: null,
    })),
  )
}
