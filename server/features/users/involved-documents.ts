/** Adds to users the documents on which each has a live grant (rules/resources.md#members). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { DocumentUser, InvolvedDocument, UserRecord } from '#contract/users/user-records.ts'
import type { getUsers } from '#contract/users/users.ts'
import type { Db } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { type InvolvedDocumentRow, LIST_INVOLVED_DOCUMENTS } from './involved-document-statements.ts'

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
