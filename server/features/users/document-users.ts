/** Lists the users of an organization's documents, with the documents of each (rules/resources.md#members). */
import type { getDocumentUsers, InvolvedDocument } from '#contract/document-users.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { UserRecord } from '#contract/users.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type InvolvedDocumentRow, LIST_INVOLVED_DOCUMENTS } from './document-user-statements.ts'
import { createUserLists } from './lists.ts'

type Page = Paged<ResultOf<typeof getDocumentUsers>>

export type DocumentUsers = ReturnType<typeof createDocumentUsers>

export function createDocumentUsers(deps: { db: Db; pageTokens: PageTokens }) {
  const lists = createUserLists(deps)
  return {
    async get(caller: Caller, data: DataOf<typeof getDocumentUsers>): Promise<Page> {
      const { includeInvolvedDocuments = false, ...query } = data
      if (includeInvolvedDocuments) assertFewUsers(query.userIds)
      const page = await lists.get(caller, { ...query, allDocuments: true })
      const users = page.data as UserRecord[]
      if (!includeInvolvedDocuments) return { ...page, data: users }
      const key = organizationKey(caller, query.organizationId)
      const rows = await deps.db.run(LIST_INVOLVED_DOCUMENTS, [key, users.map(({ userId }) => userId)])
      const byUser = Map.groupBy(rows, ({ userId }) => userId)
      return { ...page, data: users.map((user) => ({ ...user, ...involvementOf(byUser.get(user.userId) ?? []) })) }
    },
  }
}

function assertFewUsers(userIds: readonly string[] = []): void {
  if (userIds.length > 0 && userIds.length <= LIMITS.involvedUsersMax) return
  const message = `userIds must have 1 to ${LIMITS.involvedUsersMax} items when includeInvolvedDocuments is true`
  throw invalidArgument([{ field: 'userIds', message }])
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
