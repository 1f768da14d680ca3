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
import { type AnyCaller, ownerOfPages, requestedUser, withoutAddresses } from '#tenancy/callers/own-user.ts'
import { type Batch, EXAMINED, filledPage } from '#tenancy/filled-page.ts'
import { principalIn, USERS } from '#tenancy/principals.ts'
import { requireSharer, type Sharer } from './sharer.ts'
import { FIND_PRINCIPALS, LIST_HOLDERS, LIST_HOLDING_GROUPS } from './statements.ts'
import { grantsOf, showingAccess, warningsAbout } from './visible-access.ts'

/** Somebody with access; of a user with the decision. */
interface Found {
  principal: string
  decision?: DecisionRow
}

export function createGetSharing({ db, pageTokens }: Kernel) {
  async function read(
    session: Session,
    caller: AnyCaller,
    data: DataOf<typeof getSharing> & { userId: string },
  ): Promise<Paged<ResultOf<typeof getSharing>>> {
    const { organizationId, documentId, userId, pageSize = LIMITS.searchPageSizeMax, pageToken } = data
    const sharer = await requireSharer(session, caller, data, { userId, to: 'look' })
    const scope = ['sharing.get', ownerOfPages(caller), userId, organizationId, documentId]
    const after = pageTokens.decode(scope, pageToken) ?? ''
    const page = { after, pageSize, idOf: ({ principal }: Found) => principal }
    const { items: found, next } = await filledPage(page, (afterPrincipal) =>
      holdersAfter(session, caller, sharer, { after: afterPrincipal, pageSize }),
    )
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

/** Returns the next holders with access, user groups before users. */
async function holdersAfter(
  session: Session,
  caller: AnyCaller,
  sharer: Sharer,
  { after, pageSize }: { after: string; pageSize: number },
): Promise<Batch<Found>> {
  const inGroups = after === '' || 'groupId' in principalIn(after)
  if (!sharer.isMember || !inGroups) return usersAfter(session, caller, sharer, after)
  const items = await session.run(LIST_HOLDING_GROUPS, [sharer.key, sharer.resourceKey, after, pageSize + 1])
  return { items, examinedTo: items.length > pageSize ? (items.at(-1)?.principal ?? USERS) : USERS }
}

/**
 * Returns the next users with access by a grant or membership; for somebody who is not a member those with a grant of
 * their own on the document.
 */
async function usersAfter(
  session: Session,
  caller: AnyCaller,
  { key, resourceKey, organizationId, documentId, isMember }: Sharer,
  after: string,
): Promise<Batch<Found>> {
  if (isMember) {
    const next = { afterUserId: after, count: EXAMINED }
    const { users, examinedTo } = await decidedUsersOfDocument(session, caller, { organizationId, documentId }, next)
    return { items: users.map(({ userId, decision }) => ({ principal: userId, decision })), examinedTo }
  }
  const rows = await session.run(LIST_HOLDERS, [key, resourceKey, after, EXAMINED, caller.apiKeyId])
  const pairs = rows.map(({ userId }) => ({ userId, documentId }))
  const decisions = await decideDocuments(session, caller, organizationId, pairs)
  return {
    items: rows.flatMap(({ userId }, index) => {
      const decision = decisions[index]
      return decision?.allowed ? [{ principal: userId, decision }] : []
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
