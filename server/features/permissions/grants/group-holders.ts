/** User groups as holders of new grants (rules/access.md#groups, ADR 0035). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'
import { userGroupDoesNotExist } from '#tenancy/refusals.ts'

export interface GroupHolder {
  organizationKey: OrganizationKey
  groupId: string
}

/** Marks the organizations of groups, so that decisions there read the groups of a user. Returns the numbers of unknown groups. */
export const MARK_HOLDERS = setStatement<GroupHolder, { ord: number }>(
  'grants.mark-holders',
  { organizationKey: 'uuid', groupId: 'text' },
  /* sql */ `
  with named as materialized (
    select item.organization_key, item.ord, found.is_known is not null as is_known
      from $input
      left join lateral (
        select true as is_known from user_groups t
         where t.organization_key = item.organization_key and t.group_id = item.group_id limit 1
      ) found on true
  ),
  marked as (
    update organizations o set has_group_grants = true
     where o.organization_key in (select organization_key from named where is_known) and not o.has_group_grants
  )
  select ord::int from named where not is_known order by ord`,
)

/**
 * Prepares groups to be given grants. Refuses all if one is unknown. Runs under the lock of their organizations, before
 * the grants are written.
 */
export async function markHolders(
  session: Session,
  holders: readonly (GroupHolder & { field: string })[],
): Promise<void> {
  const unknown = await session.runSet(MARK_HOLDERS, holders)
  const fields = unknown.flatMap(({ ord }) => holders[ord - 1]?.field ?? [])
  if (fields.length > 0) throw userGroupDoesNotExist(fields)
}
