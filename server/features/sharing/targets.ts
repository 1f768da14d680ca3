/** Lists with whom a user may share a document (rules/access.md#sharing). */
import type { listSharingTargets, SharingTarget } from '#contract/access/sharing.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { begins, personOf, showing } from '#features/comments/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import type { Paged } from '#platform/secrets/page-token.ts'
import { withoutAddresses } from '#tenancy/callers/others-addresses.ts'
import { type AnyCaller, requestedUser } from '#tenancy/callers/own-user.ts'
import { principalIn, principalOfGroup } from '#tenancy/principals.ts'
import { requireSharer, type Sharer } from './sharer.ts'
import { LIST_GROUPS, LIST_HOLDERS } from './statements.ts'

type Data = DataOf<typeof listSharingTargets>

/** How many principals are examined at a time. */
const EXAMINED = 1_000

interface Examined {
  /** With the principal of each, after which a page can end. */
  targets: { principal: string; target: SharingTarget }[]
  /** All up to this principal were examined; null: there are no more. */
  examinedTo: string | null
}

export function createListSharingTargets({ db, pageTokens }: Kernel) {
  async function read(
    session: Session,
    caller: AnyCaller,
    data: Data & { userId: string },
  ): Promise<Paged<SharingTarget[]>> {
    const { organizationId, documentId, userId, text = '', pageSize = LIMITS.searchPageSizeMax, pageToken } = data
    const sharer = await requireSharer(session, caller, data, { userId, to: 'share' })
    const scope = ['sharing-targets.list', caller.apiKeyId, userId, organizationId, documentId, text]
    const found: Examined['targets'] = []
    let after: string | null = pageTokens.decode(scope, pageToken) ?? ''
    for (let examined = 0; after !== null && found.length <= pageSize; examined += EXAMINED) {
      if (examined >= LIMITS.recordsExaminedPerPageMax) break
      const { targets, examinedTo } = await next(session, caller, sharer, after)
      found.push(...targets.filter(({ target: { userId, groupId, name } }) => begins(text, [name, userId ?? groupId])))
      after = examinedTo
    }
    const end = found.length > pageSize ? found[pageSize - 1]?.principal : after
    return {
      data: withoutAddresses(
        caller,
        found.slice(0, pageSize).map(({ target }) => target),
      ),
      ...(end && { nextPageToken: pageTokens.encode(scope, end) }),
    }
  }

  return (caller: AnyCaller, data: Data): Promise<Paged<SharingTarget[]>> => {
    const userId = requestedUser(caller, data.userId, 'userId')
    return db.transaction((session) => read(session, caller, { ...data, userId }), { snapshot: true })
  }
}

/** Sorts after all user groups and before all users. */
const USERS = ' '

function next(session: Session, caller: AnyCaller, sharer: Sharer, after: string): Promise<Examined> {
  const inGroups = after === '' || 'groupId' in principalIn(after)
  return sharer.isMember && inGroups ? groups(session, sharer, after) : users(session, caller, sharer, after)
}

async function groups(session: Session, { key }: Sharer, after: string): Promise<Examined> {
  const held = principalIn(after)
  const rows = await session.run(LIST_GROUPS, [key, 'groupId' in held ? held.groupId : '', EXAMINED])
  const targets = rows.map(({ groupId, name }) => ({
    principal: principalOfGroup(groupId),
    target: { groupId, ...(name && { name }) },
  }))
  return { targets, examinedTo: rows.length < EXAMINED ? USERS : (targets.at(-1)?.principal ?? USERS) }
}

/** Returns the next members of the organization; for somebody who is not a member those with a grant of their own on the document. */
async function users(
  session: Session,
  { apiKeyId }: AnyCaller,
  { key, resourceKey, userId: ownId, isMember }: Sharer,
  after: string,
): Promise<Examined> {
  const rows = await session.run(LIST_HOLDERS, [key, isMember ? key : resourceKey, after, EXAMINED, apiKeyId])
  const userIds = rows.flatMap(({ userId, isDisabled }) => (isDisabled || userId === ownId ? [] : [userId]))
  const show = await showing(session, { apiKeyId }, new Set(userIds))
  return {
    targets: userIds.map((userId) => ({ principal: userId, target: personOf(show({ userId })) })),
    examinedTo: rows.length < EXAMINED ? null : (rows.at(-1)?.userId ?? null),
  }
}
