/**
 * Limits of the user who shares: weaker grants on the document, of their own or of their groups, under which a stronger
 * role from above it does not count. To end one is to give oneself that role, at the latest when the own stronger grant
 * expires (rules/access.md#sharing).
 */
import { type AccessRole, isStronger } from '#contract/access/permissions.ts'
import { removeGrants, type SharedDocument } from '#features/permissions/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { undone } from '#platform/db/undone.ts'
import type { AnyCaller } from '#tenancy/callers/own-user.ts'
import { decide } from './affected-users.ts'
import type { NamedChange } from './named.ts'
import { refuseLifting } from './refusals.ts'
import type { Sharer } from './sharer.ts'
import { FIND_GRANTS_OF_USER, type HeldGrants } from './statements.ts'
import { type GrantOnDocument, grantsOf } from './visible-access.ts'

type Held = readonly HeldGrants[]

/** Returns the strongest role among grants at a time in seconds, at which those that expire then have expired. */
function roleAt(grants: readonly GrantOnDocument[], time: number): AccessRole | undefined {
  const live = grants.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > time)
  return live.map(({ accessRole }) => accessRole).reduce<AccessRole | undefined>(stronger, undefined)
}

const stronger = (one: AccessRole | undefined, other: AccessRole): AccessRole =>
  one !== undefined && isStronger(one, other) ? one : other

/** Returns the roles that count on the document before a change and, at the same time, no more after it. */
function liftedRoles(before: Held, after: Held, now: number): AccessRole[] {
  const [had, has] = [before.flatMap(grantsOf), after.flatMap(grantsOf)]
  const times = [now, ...[...had, ...has].flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [expiresAt]))]
  return times.flatMap((time) => {
    const role = roleAt(had, time)
    return role !== undefined && roleAt(has, time) === undefined ? [role] : []
  })
}

/**
 * Returns a function that refuses the change that was made since, if it ends such a limit. It is undefined where the
 * change names neither the sharer nor a group of theirs.
 */
export async function watchLimits(
  session: Session,
  { caller, sharer, document }: { caller: AnyCaller; sharer: Sharer; document: SharedDocument },
  own: readonly NamedChange[],
): Promise<(() => Promise<void>) | undefined> {
  if (own.length === 0) return undefined
  const { key, resourceKey, userId, isMember, now } = sharer
  const find = async (): Promise<Held> => {
    const rows = await session.run(FIND_GRANTS_OF_USER, [key, resourceKey, userId])
    return rows.filter(({ principal }) => isMember || principal === userId)
  }
  const before = await find()
  return async () => {
    const after = await find()
    const lifted = liftedRoles(before, after, Math.floor(now.getTime() / 1000))
    if (lifted.length === 0) return
    const above = await undone(session, async () => {
      const principals = new Set([...before, ...after].map(({ principal }) => principal))
      await removeGrants(session, document, [...principals])
      return (await decide(session, caller, sharer, new Set([userId]))).get(userId)
    })
    const role = above?.accessRole ?? null
    // A role that expires may hide a stronger one, which is farther above.
    const counts = (limit: AccessRole) => role !== null && (isStronger(role, limit) || above?.expiresAt !== null)
    if (lifted.some((limit) => limit !== 'editor' && counts(limit))) refuseLifting(own)
  }
}
