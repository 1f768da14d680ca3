/** Adds to each grant of a list since when it exists, who set it, and when its user was last active (rules/access.md#history-of-grants). */
import type { ListedGrant } from '#contract/access/grants.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { FIND_GRANT_HISTORY } from '#tenancy/events/grant-history.ts'

/** A statement looks at up to 600 events for each grant, so it has few of them, and other calls have their turns in between. */
const GRANTS_AT_ONCE = 100

export async function grantsWithHistory(
  db: Db,
  { apiKeyId }: Caller,
  organizationKey: OrganizationKey,
  grants: readonly ListedGrant[],
): Promise<ListedGrant[]> {
  const complete: ListedGrant[] = []
  for (let from = 0; from < grants.length; from += GRANTS_AT_ONCE) {
    const part = grants.slice(from, from + GRANTS_AT_ONCE)
    const rows = await db.runSet(
      FIND_GRANT_HISTORY,
      part.map(({ userId = null, groupId = null, type, id, expiresAt }) => ({
        ...{ organizationKey, apiKeyId, userId, groupId, kind: type, resourceId: id },
        eventsMax: LIMITS.historyEventsExaminedMax,
        isTemporary: expiresAt !== undefined,
      })),
    )
    complete.push(...part.map((grant, index) => ({ ...grant, ...rows[index]?.history })))
  }
  return complete
}
