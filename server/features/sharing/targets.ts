/** Lists the users and groups with whom a user may share a document (rules/access.md#sharing). */
import type { listSharingTargets, SharingTarget } from '#contract/access/sharing.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { begins, personOf, showing } from '#features/comments/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import type { Paged } from '#platform/secrets/page-token.ts'
import { type AnyCaller, ownerOfPages, requestedUser, withoutAddresses } from '#tenancy/callers/own-user.ts'
import { type Batch, EXAMINED, filledPage } from '#tenancy/filled-page.ts'
import { principalIn, principalOfGroup, USERS } from '#tenancy/principals.ts'
import { requireSharer, type Sharer } from './sharer.ts'
import { LIST_GROUPS, LIST_HOLDERS } from './statements.ts'

type Data = DataOf<typeof listSharingTargets>

/** A target, with the principal after which a page can end. */
interface Found {
  principal: string
  target: SharingTarget
}

export function createListSharingTargets({ db, pageTokens }: Kernel) {
  async function read(
    session: Session,
    caller: AnyCaller,
    data: Data & { userId: string },
  ): Promise<Paged<SharingTarget[]>> {
    const { organizationId, documentId, userId, text = '', pageSize = LIMITS.searchPageSizeMax, pageToken } = data
    const sharer = await requireSharer(session, caller, data, { userId, to: 'share' })
    const scope = ['sharing-targets.list', ownerOfPages(caller), userId, organizationId, documentId, text]
    const after = pageTokens.decode(scope, pageToken) ?? ''
    const page = { after, pageSize, idOf: ({ principal }: Found) => principal }
    const { items, next: end } = await filledPage(page, async (afterPrincipal) => {
      const { items: targets, examinedTo } = await next(session, caller, sharer, afterPrincipal)
      const found = targets.filter(({ target: { userId, groupId, name } }) => begins(text, [name, userId ?? groupId]))
      return { items: found, examinedTo }
    })
    return {
      data: withoutAddresses(
        caller,
        items.map(({ target }) => target),
      ),
      ...(end !== null && { nextPageToken: pageTokens.encode(scope, end) }),
    }
  }

  return (caller: AnyCaller, data: Data): Promise<Paged<SharingTarget[]>> => {
    const userId = requestedUser(caller, data.userId, 'userId')
    return db.transaction((session) => read(session, caller, { ...data, userId }), { snapshot: true })
  }
}

function next(session: Session, caller: AnyCaller, sharer: Sharer, after: string): Promise<Batch<Found>> {
  const inGroups = after === '' || 'groupId' in principalIn(after)
  return sharer.isMember && inGroups ? groups(session, sharer, after) : users(session, caller, sharer, after)
}

async function groups(session: Session, { key }: Sharer, after: string): Promise<Batch<Found>> {
  const held = principalIn(after)
  const rows = await session.run(LIST_GROUPS, [key, 'groupId' in held ? held.groupId : '', EXAMINED])
  const targets = rows.map(({ groupId, name }) => ({
    principal: principalOfGroup(groupId),
    target: { groupId, ...(name && { name }) },
  }))
  return { items: targets, examinedTo: rows.length < EXAMINED ? USERS : (targets.at(-1)?.principal ?? USERS) }
}

/** Returns the next members of the organization; for somebody who is not a member those with a grant of their own on the document. */
async function users(
  session: Session,
  { apiKeyId }: AnyCaller,
  { key, resourceKey, userId: ownId, isMember }: Sharer,
  after: string,
): Promise<Batch<Found>> {
  const rows = await session.run(LIST_HOLDERS, [key, isMember ? key : resourceKey, after, EXAMINED, apiKeyId])
  const userIds = rows.flatMap(({ userId, isDisabled }) => (isDisabled || userId === ownId ? [] : [userId]))
  const show = await showing(session, { apiKeyId }, new Set(userIds))
  return {
    items: userIds.map((userId) => ({ principal: userId, target: personOf(show({ userId })) })),
    examinedTo: rows.length < EXAMINED ? null : (rows.at(-1)?.userId ?? null),
  }
}
