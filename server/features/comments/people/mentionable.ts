/** Lists who can be mentioned on a document (rules/comments.md#who-can-be-mentioned). */
import type { listMentionableUsers, MentionableUser } from '#contract/comments/mentionable.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { decideDocuments, type UsersOfDocument, usersOfDocument } from '#features/permissions/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { Paged } from '#platform/secrets/page-token.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser, ownerOfPages, withoutAddresses } from '#tenancy/callers/own-user.ts'
import { requireResource } from '#tenancy/existence.ts'
import { EXAMINED, filledPage } from '#tenancy/filled-page.ts'
import { isLive } from '#tenancy/grants.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'
import { showing } from '../records.ts'
import { requireWriter, SNAPSHOT } from '../users/access.ts'
import { FIND_MEMBERSHIPS } from '../users/statements.ts'
import { begins, personOf } from './persons.ts'

/** Returns the next `$4` users after `$3` with a live grant of their own on resource `$2` of organization `$1`. */
export const LIST_GRANTED_USERS = statement<{ userId: string }>(
  'mentionable-users.list-granted',
  /* sql */ `
  select g.principal as "userId" from grants g
   where g.organization_key = $1 and g.resource_key = $2::uuid and g.principal > greatest($3::text, ${BEFORE_USERS} collate "C")
     and ${isLive('g')}
   order by g.principal limit $4::int`,
)

type Data = DataOf<typeof listMentionableUsers>

export function createListMentionableUsers({ db, pageTokens }: Kernel) {
  async function read(session: Session, caller: AnyCaller, data: Data): Promise<Paged<MentionableUser[]>> {
    const { organizationId, documentId, text = '', pageSize = LIMITS.searchPageSizeMax, pageToken } = data
    const key = organizationKey(caller, organizationId)
    if (isUser(caller)) await requireWriter(session, caller, data)
    const resourceKey = await requireResource(session, key, { type: 'document', id: documentId })
    const isGuest =
      isUser(caller) &&
      (await session.runSet(FIND_MEMBERSHIPS, [{ organizationKey: key, userId: caller.userId }])).length === 0
    const next = (afterUserId: string) =>
      isGuest
        ? grantedUsers(session, caller, data, { key, resourceKey, afterUserId })
        : usersOfDocument(session, caller, data, { afterUserId, count: EXAMINED })

    const scope = ['mentionable-users.list', ownerOfPages(caller), organizationId, documentId, text]
    const after = pageTokens.decode(scope, pageToken) ?? ''
    const page = { after, pageSize, idOf: ({ userId }: MentionableUser) => userId }
    const { items, next: end } = await filledPage(page, async (afterUserId) => {
      const { userIds, examinedTo } = await next(afterUserId)
      const show = await showing(session, caller, new Set(userIds))
      const persons = userIds.map((userId) => personOf(show({ userId })))
      return { items: persons.filter(({ userId, name }) => begins(text, [name, userId])), examinedTo }
    })
    return {
      data: withoutAddresses(caller, items),
      ...(end !== null && { nextPageToken: pageTokens.encode(scope, end) }),
    }
  }

  return (caller: AnyCaller, data: Data): Promise<Paged<MentionableUser[]>> =>
    db.transaction((session) => read(session, caller, data), SNAPSHOT)
}

/** Returns which of the next users with a grant of their own on the document can open it. */
async function grantedUsers(
  session: Session,
  caller: AnyCaller,
  { organizationId, documentId }: Data,
  { key, resourceKey, afterUserId }: { key: string; resourceKey: string; afterUserId: string },
): Promise<UsersOfDocument> {
  const rows = await session.run(LIST_GRANTED_USERS, [key, resourceKey, afterUserId, EXAMINED])
  const pairs = rows.map(({ userId }) => ({ userId, documentId }))
  const decisions = await decideDocuments(session, caller, organizationId, pairs)
  return {
    userIds: rows.flatMap(({ userId }, index) => (decisions[index]?.allowed ? [userId] : [])),
    examinedTo: rows.length < EXAMINED ? null : (rows.at(-1)?.userId ?? null),
  }
}
