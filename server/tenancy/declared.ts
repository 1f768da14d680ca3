/**
 * The results of changes of records that are impossible because a folder or document was never added, but is declared:
 * grants on it or invitations to it exist, or existed (rules/data.md#declared).
 */
import { failed, type ItemResult } from '#contract/core/envelope.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'

/** A folder or document that grants or invitations have named and that was not added. They may all have ended. */
export interface DeclaredRow extends Holding {
  id: string
  resourceKey: string
}

interface Holding {
  /** The number of grants on it, also expired ones that are still kept. */
  permissions: number
  /** The number of pending invitations to it. */
  invitations: number
}

/** Joins to a resource `r` the numbers of its grants and pending invitations. */
export const joinHolding = /* sql */ `join lateral (
     select (select count(*)::int from grants g
              where g.organization_key = r.organization_key and g.resource_key = r.resource_key) as permissions,
            (select count(*)::int from invitations i
              where i.organization_key = r.organization_key and i.resource_key = r.resource_key and i.status = 'PENDING') as invitations
   ) holding on true`

type Kind = 'folder' | 'document'

/** Finds declared folders or documents. */
export const FIND_DECLARED = setStatement<{ organizationKey: string; kind: Kind; id: string }, DeclaredRow>(
  'declared.find',
  { organizationKey: 'uuid', kind: 'resource_kind', id: 'text' },
  /* sql */ `
  select r.id, r.resource_key as "resourceKey", holding.permissions, holding.invitations
    from $input
    join resources r on r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.id and r.added_at is null
    ${joinHolding}`,
)

/** Returns a function that finishes the result of an id that was not found: if it is declared, the result says so. */
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
    const row = byId.get(id)
    return row === undefined
      ? undefined
      : { ...failed(id, 'not-found', onlyDeclared(kind, row)), permissions: row.permissions }
  }
}

function onlyDeclared(kind: Kind, holding: Holding): string {
  const { permissions, invitations } = holding
  if (permissions + invitations === 0) return `The ${kind} was never added. Add the ${kind} first, or delete it.`
  const names = permissions === 0 ? 'invitation' : 'grant'
  const isOne = permissions + invitations === 1
  const them = isOne ? `the ${names}` : permissions > 0 && invitations > 0 ? 'them' : `the ${names}s`
  return `The ${kind} was never added, but there ${isOne ? 'is' : 'are'} ${held(holding)}. Add the ${kind} first, or delete it to end ${them}.`
}

/** `1 grant on it`, `2 grants and 1 invitation on it`, `1 invitation to it`, `no grant on it`. */
export function held({ permissions, invitations }: Holding): string {
  if (permissions + invitations === 0) return 'no grant on it'
  const parts = [counted(permissions, 'grant'), counted(invitations, 'invitation')]
  return `${parts.filter((part) => !part.startsWith('0 ')).join(' and ')} ${permissions === 0 ? 'to' : 'on'} it`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
