/**
 * Converts the access of others into the form that a user may see: with names for its sources, and without anything
 * that the user may not know.
 */
import type { SharedAccess } from '#contract/access/sharing.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { type DecisionRow, decisionOf } from '#features/permissions/shared.ts'
import type { Session } from '#platform/db/db.ts'
import type { AnyCaller } from '#tenancy/callers/own-user.ts'
import { publicAnyhow, publicWarnings } from '#tenancy/public-access.ts'
import type { Sharer } from './sharer.ts'
import { FIND_NAMES, type OwnGrants } from './statements.ts'

export interface GrantOnDocument {
  accessRole: SharedAccess['accessRole']
  expiresAt?: number | undefined
}

/** Returns the live grants of a row, the standing one first. */
export function grantsOf({ standingRole, temporaryRole, expiresAt }: OwnGrants): GrantOnDocument[] {
  const standing = standingRole === null ? [] : [{ accessRole: standingRole }]
  const isTemporary = temporaryRole !== null && expiresAt !== null
  return isTemporary ? [...standing, { accessRole: temporaryRole, expiresAt: secondsOf(expiresAt) }] : standing
}

/** Whether somebody has a live grant on the document. */
export const hasGrant = (found: OwnGrants | undefined): boolean =>
  found !== undefined && (found.standingRole !== null || found.temporaryRole !== null)

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)

/** Returns a function that says what a decision gives, to a member of the organization or somebody else; undefined: no access. */
export async function showingAccess(
  session: Session,
  { key, isMember }: { key: OrganizationKey; isMember: boolean },
  decisions: readonly (DecisionRow | undefined)[],
): Promise<(decision: DecisionRow | undefined) => SharedAccess | undefined> {
  const ids = (idOf: (decision: DecisionRow) => string | null | undefined): string[] =>
    isMember ? [...new Set(decisions.flatMap((decision) => (decision && idOf(decision)) ?? []))] : []
  const folderIds = ids(({ viaType, viaId }) => (viaType === 'folder' ? viaId : null))
  const groupIds = ids(({ viaGroupId }) => viaGroupId)
  const rows = folderIds.length + groupIds.length > 0 ? await session.run(FIND_NAMES, [key, folderIds, groupIds]) : []
  const names = new Map(rows.map(({ isGroup, id, name }) => [`${isGroup} ${id}`, name]))
  const viaOf = (row: DecisionRow): Pick<SharedAccess, 'via'> => {
    const { via } = decisionOf(row)
    if (via === undefined || (!isMember && (via.inherited || via.group !== undefined))) return {}
    const name = via.type === 'folder' ? names.get(`false ${via.id}`) : undefined
    const groupName = via.group === undefined ? undefined : names.get(`true ${via.group}`)
    return { via: { ...via, ...(name !== undefined && { name }), ...(groupName !== undefined && { groupName }) } }
  }
  return (row) =>
    row?.allowed && row.accessRole !== null
      ? { accessRole: row.accessRole, ...(row.expiresAt !== null && { expiresAt: row.expiresAt }), ...viaOf(row) }
      : undefined
}

/** Returns the warning that a document is public; to somebody who is not a member without the name of the folder that makes it so. */
export const warningsAbout = (
  caller: AnyCaller,
  { organizationId, documentId, decision, access, isMember }: Sharer,
) => {
  const resource = { type: 'document', id: documentId, organizationId } as const
  if (decision.accessType !== 'public') return {}
  return isMember ? publicWarnings(caller, [{ resource, access }]) : publicAnyhow(caller, resource)
}
