/** Decides about users and resources for features that judge grants (rules/access.md#decision). */
import type { ResourceName } from '#contract/access/permissions.ts'
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKeys, owningOrganization } from '#tenancy/callers/keys.ts'
import type { DecidedRow } from '../decision/rows.ts'
import { DECIDE } from '../decision/statement.ts'

/** Returns the decision about each pair, in their order. It has a role only if a live grant on the chain gives one. */
export async function decideByGrants(
  db: Pick<Db, 'runSet'>,
  caller: Pick<Caller, 'apiKeyId' | 'defaultAccessType'>,
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
      defaultAccessRole: null,
      atLeast: null,
    })),
  )
}
