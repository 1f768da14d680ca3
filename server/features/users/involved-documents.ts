/** Adds to users the documents on which each has a live grant (rules/resources.md#members). */
import type { AccessRole } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { DocumentUser, InvolvedDocument, UserRecord } from '#contract/users/user-records.ts'
import type { getUsers } from '#contract/users/users.ts'
import type { Db } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { expiryOf, isLive, liveRole } from '#tenancy/grants.ts'

interface InvolvedDocumentRow {
  userId: string
  documentId: string
  documentName: string | null
  accessRole: AccessRole
  /** Null: until the grant is changed. */
  expiresAt: Date | null
}

/** Lists the documents on which the users `$2` have a live grant, in id order; of each user one more than a response shows. */
export const LIST_INVOLVED_DOCUMENTS = statement<InvolvedDocumentRow>(
  'document-users.list-involved',
  /* sql */ `
  select n.user_id as "userId", r.id as "documentId", r.name as "documentName", ${liveRole('g')} as "accessRole",
         ${expiryOf('g', liveRole('g'))} as "expiresAt"
    from (select user_id collate "C" as user_id from unnest($2::text[]) as n(user_id)) n
   cross join lateral (
      select * from grants g
       where g.organization_key = $1 and g.principal = n.user_id and g.kind = 'document' and ${isLive('g')}
       order by g.resource_key limit ${LIMITS.involvedDocumentsMax + 1}
    ) g
   cross join lateral (
      select r.id, r.name from resources r where r.organization_key = $1 and r.resource_key = g.resource_key limit 1
    ) r
   order by n.user_id, r.id`,
)

/** Throws INVALID_ARGUMENT unless the query names few users, whose documents then fit into a response. */
export function assertFewUsers({ userIds = [], groupByDocumentId }: DataOf<typeof getUsers>): void {
  const given = 'includeInvolvedDocuments is true'
  if (userIds.length === 0 || userIds.length > LIMITS.involvedUsersMax)
    throw invalidArgument([
      { field: 'userIds', message: `userIds must have 1 to ${LIMITS.involvedUsersMax} items when ${given}` },
    ])
  if (groupByDocumentId)
    throw invalidArgument([{ field: 'groupByDocumentId', message: `groupByDocumentId must not be true when ${given}` }])
}

/** Returns the users of an organization, each with its documents. */
export async function withInvolvedDocuments(
  db: Db,
  key: OrganizationKey,
  users: readonly UserRecord[],
): Promise<DocumentUser[]> {
  const rows = await db.run(LIST_INVOLVED_DOCUMENTS, [key, users.map(({ userId }) => userId)])
  const byUser = Map.groupBy(rows, ({ userId }) => userId)
  return users.map((user) => ({ ...user, ...involvementOf(byUser.get(user.userId) ?? []) }))
}

const involvementOf = (rows: readonly InvolvedDocumentRow[]) => ({
  involvedDocuments: rows.slice(0, LIMITS.involvedDocumentsMax).map(
    ({ documentId, documentName, accessRole, expiresAt }): InvolvedDocument => ({
      documentId,
      ...(documentName === null ? {} : { documentName }),
      accessRole,
      ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
    }),
  ),
  ...(rows.length > LIMITS.involvedDocumentsMax ? { hasMoreInvolvedDocuments: true as const } : {}),
})
