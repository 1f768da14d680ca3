/** Reads who has access to a document, for one of its users (rules/access.md#sharing). */
import { accessRoles } from '#contract/access/permissions.ts'
import type { getSharing, SharingEntry } from '#contract/access/sharing.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { personOf, showing } from '#features/comments/shared.ts'
import { type DecisionRow, decideDocuments, decidedUsersOfDocument } from '#features/permissions/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import type { Paged } from '#platform/secrets/page-token.ts'
import { withoutAddresses } from '#tenancy/callers/others-addresses.ts'
import { type AnyCaller, requestedUser } from '#tenancy/callers/own-user.ts'
import { principalIn } from '#tenancy/principals.ts'
import { publicAnyhow, publicWarnings } from '#tenancy/public-access.ts'
import { requireSharer, type Sharer } from './sharer.ts'
import { grantsOf, showingAccess } from './shown.ts'
import { FIND_PRINCIPALS, LIST_HOLDERS, LIST_HOLDING_GROUPS } from './statements.ts'

/** Somebody with access, and where the list continues after them. */
interface Found {
  principal: string
  decision?: DecisionRow
}

/** How many users are examined at a time. */
const EXAMINED = 1_000

export function createGetSharing({ db, pageTokens }: Kernel) {
  async function read(
    session: Session,
    caller: AnyCaller,
    data: DataOf<typeof getSharing> & { userId: string },
  ): Promise<Paged<ResultOf<typeof getSharing>>> {
    const { organizationId, documentId, userId, pageSize = LIMITS.searchPageSizeMax, pageToken } = data
    const sharer = await requireSharer(session, caller, data, { userId, to: 'look' })
    const scope = ['sharing.get', caller.apiKeyId, userId, organizationId, documentId]
    const { found, next } = await holdersAfter(session, caller, sharer, {
      after: pageTokens.decode(scope, pageToken) ?? '',
      count: pageSize,
    })
    const show = await showingAccess(session, sharer, [sharer.decision, ...found.map(({ decision }) => decision)])
    const own = show(sharer.decision)
    if (own === undefined) throw new Error('whoever may look has access')
    const everyone = sharer.decision.accessType === 'public'
    return {
      data: {
        user: { userId, ...own },
        canShare: sharer.canShare,
        accessRoles: sharer.canShare ? accessRoles(caller.hasCommenter) : [],
        accessType: sharer.decision.accessType ?? caller.defaultAccessType,
        everyone,
        ...(everyone && { everyoneRole: caller.defaultAccessRole }),
        isComplete: sharer.isMember,
        entries: withoutAddresses(caller, await entriesOf(session, caller, sharer, found, show)),
      },
      ...(next !== null && { nextPageToken: pageTokens.encode(scope, next) }),
      ...warningsAbout(caller, sharer),
    }
  }

  return (caller: AnyCaller, data: DataOf<typeof getSharing>): Promise<Paged<ResultOf<typeof getSharing>>> => {
    const userId = requestedUser(caller, data.userId, 'userId')
    return db.transaction((session) => read(session, caller, { ...data, userId }), { snapshot: true })
  }
}

/** Returns the warning that a document is public; to somebody who is not a member without the name of the folder that makes it so. */
export const warningsAbout = (caller: AnyCaller, { documentId, decision, access, isMember }: Sharer) => {
  const resource = { type: 'document', id: documentId } as const
  if (decision.accessType !== 'public') return {}
  return isMember ? publicWarnings(caller, [{ resource, access }]) : publicAnyhow(caller, resource)
}

/** Returns the next holders, user groups before users. */
async function holdersAfter(
  session: Session,
  caller: AnyCaller,
  sharer: Sharer,
  { after, count }: { after: string; count: number },
): Promise<{ found: Found[]; next: string | null }> {
  const inGroups = after === '' || 'groupId' in principalIn(after)
  const values = [sharer.key, sharer.resourceKey, after, count + 1]
  const found: Found[] = sharer.isMember && inGroups ? await session.run(LIST_HOLDING_GROUPS, values) : []
  let afterUserId: string | null = inGroups ? '' : after
  for (let examined = 0; afterUserId !== null && found.length <= count; examined += EXAMINED) {
    if (examined >= LIMITS.recordsExaminedPerPageMax) break
    const { users, examinedTo } = await usersAfter(session, caller, sharer, afterUserId)
    found.push(...users.map(({ userId, decision }) => ({ principal: userId, decision })))
    afterUserId = examinedTo
  }
  const last = found.length > count ? found[count - 1]?.principal : undefined
  return { found: found.slice(0, count), next: last ?? afterUserId }
}

interface UsersAfter {
  users: { userId: string; decision: DecisionRow }[]
  examinedTo: string | null
}

/** Returns the next users with access by a grant or membership; for somebody who is not a member those with a grant of their own on the document. */
async function usersAfter(
  session: Session,
  caller: AnyCaller,
  { key, resourceKey, organizationId, documentId, isMember }: Sharer,
  afterUserId: string,
): Promise<UsersAfter> {
  const document = { organizationId, documentId }
  if (isMember) return decidedUsersOfDocument(session, caller, document, { afterUserId, count: EXAMINED })
  const rows = await session.run(LIST_HOLDERS, [key, resourceKey, afterUserId, EXAMINED, caller.apiKeyId])
  const pairs = rows.map(({ userId }) => ({ userId, documentId }))
  const decisions = await decideDocuments(session, caller, organizationId, pairs)
  return {
    users: rows.flatMap(({ userId }, index) => {
      const decision = decisions[index]
      return decision?.allowed ? [{ userId, decision }] : []
    }),
    examinedTo: rows.length < EXAMINED ? null : (rows.at(-1)?.userId ?? null),
  }
}

async function entriesOf(
  session: Session,
  { apiKeyId }: AnyCaller,
  { key, resourceKey }: Sharer,
  found: readonly Found[],
  show: Awaited<ReturnType<typeof showingAccess>>,
): Promise<SharingEntry[]> {
  if (found.length === 0) return []
  const rows = found.map(({ principal }) => ({ apiKeyId, organizationKey: key, resourceKey, principal }))
  const stored = await session.runSet(FIND_PRINCIPALS, rows)
  const holders = found.map(({ principal }) => principalIn(principal))
  const userIds = holders.flatMap((holder) => ('userId' in holder ? [holder.userId] : []))
  const person = await showing(session, { apiKeyId }, new Set(userIds))
  return holders.map((holder, index) => {
    const row = stored[index]
    const grants = row === undefined ? [] : grantsOf(row)
    if ('groupId' in holder) return { ...holder, ...(row?.groupName && { name: row.groupName }), grants }
    const access = show(found[index]?.decision)
    return { ...personOf(person(holder)), ...(access && { access }), grants }
  })
}
