/**
 * The results of changes of records that are impossible because a folder or document was never added, while grants on
 * it exist (rules/data.md#declared).
 */
import { failed, type ItemResult } from '#contract/core/envelope.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'

/** A folder or document that grants have named and that was not added. */
export interface DeclaredRow {
  id: string
  resourceKey: string
  /** The number of grants on it, also expired ones that are still kept. */
  permissions: number
}

type Kind = 'folder' | 'document'

/** Finds declared folders or documents that have grants. */
export const FIND_DECLARED = setStatement<{ organizationKey: string; kind: Kind; id: string }, DeclaredRow>(
  'declared.find',
  { organizationKey: 'uuid', kind: 'resource_kind', id: 'text' },
  /* sql */ `
  select r.id, r.resource_key as "resourceKey", granted.permissions
    from $input
    join resources r on r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.id and r.added_at is null
   cross join lateral (
     select count(*)::int as permissions from grants g where g.organization_key = r.organization_key and g.resource_key = r.resource_key
   ) granted
   where granted.permissions > 0`,
)

/** Returns a function that finishes the result of an id that was not found: if there are grants on it, the result says so. */
export async function declaredAmong(
  session: Session,
  organizationKey: OrganizationKey,
  kind: Kind,
  missing: readonly string[],
): Promise<(id: string) => ItemResult | undefined> {
  const ids = [...new Set(missing)]
  const rows =
    ids.length === 0
      ? []
      : await session.runSet(
          FIND_DECLARED,
          ids.map((id) => ({ organizationKey, kind, id })),
        )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return (id) => {
    const permissions = byId.get(id)?.permissions
    return permissions === undefined
      ? undefined
      : { ...failed(id, 'not-found', onlyDeclared(kind, permissions)), permissions }
  }
}

const onlyDeclared = (kind: Kind, permissions: number): string =>
  `The ${kind} was never added, but there ${permissions === 1 ? 'is' : 'are'} ${grants(permissions)} on it. Add the ${kind} first, or delete it to end ${permissions === 1 ? 'the grant' : 'the grants'}.`

/** `1 grant`, `2 grants`. */
export const grants = (count: number): string => `${count} ${count === 1 ? 'grant' : 'grants'}`
