/**
 * Changes who has access to a document, for one of its editors (rules/access.md#sharing). Everything is decided in the
 * transaction of the change, under the lock of the organization, so that a sharer who has just lost access is refused.
 */
import type { updateSharing } from '#contract/access/sharing-changes.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Warning } from '#contract/core/warnings.ts'
import { removeGrants, replaceGrants, type SharedDocument } from '#features/permissions/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { undone } from '#platform/db/undone.ts'
import { StatusError } from '#platform/status-error.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, requestedUser } from '#tenancy/callers/own-user.ts'
import { principalIn, principalOfGroup } from '#tenancy/principals.ts'
import { holdRoles } from '#tenancy/writes/commenter.ts'
import { changeOrganizations, lockOrganization } from '#tenancy/writes/organization.ts'
import { requireSignedIn } from '#tenancy/writes/signed-in.ts'
import { type Decisions, decide, peopleOf } from './affected-users.ts'
import { watchLimits } from './limits.ts'
import { type NamedChange, namedChanges } from './named.ts'
import { isWeaker, mayName, refuseLowering, refuseOutliving, refuseUnexamined, refuseUnlawful } from './refusals.ts'
import { resultOf } from './results.ts'
import { letsShare, requireSharer, requireSharing, type Sharer } from './sharer.ts'
import { FIND_GROUPS_OF_USER, FIND_PRINCIPALS, type FoundPrincipal } from './statements.ts'
import { hasGrant, warningsAbout } from './visible-access.ts'

type Data = DataOf<typeof updateSharing>
type Result = ResultOf<typeof updateSharing>

export function createUpdateSharing({ db }: Kernel) {
  return (caller: AnyCaller, data: Data): Promise<{ data: Result; warnings?: Warning[] }> => {
    const { organizationId, dryRun = false, allowLosingOwnAccess = false } = data
    const userId = requestedUser(caller, data.userId, 'userId')
    const changes = namedChanges(data)
    const key = organizationKey(caller, organizationId)
    return changeOrganizations(db, caller, [key], async (session) => {
      const settings = await requireSharing(session, caller)
      await holdRoles(session, caller, data.grants ?? [])
      await lockOrganization(session, key)
      await requireSignedIn(session, caller)
      const sharer = await requireSharer(session, caller, data, { userId, to: 'share', settings })
      const work = () => change(session, caller, sharer, changes)
      const { canShare, ...result } = dryRun ? await undone(session, work) : await work()
      if (!canShare && !dryRun && !allowLosingOwnAccess) throw ownAccessWouldEnd()
      return {
        data: { dryRun, changes: result.changes, user: { ...result.user, canShare } },
        ...(data.grants && data.grants.length > 0 ? warningsAbout(caller, sharer) : {}),
      }
    })
  }
}

const ownAccessWouldEnd = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'own_access_would_end',
    'After this change the user could not share the document any more; repeat the call with allowLosingOwnAccess if that is meant.',
  )

/** Makes the changes, and returns the effect on everybody whom they concern. */
async function change(session: Session, caller: AnyCaller, sharer: Sharer, changes: readonly NamedChange[]) {
  const principals = changes.map(({ principal }) => principal)
  const document: SharedDocument = {
    apiKeyId: caller.apiKeyId,
    organizationKey: sharer.key,
    organizationId: sharer.organizationId,
    documentId: sharer.documentId,
    expiringSoonSeconds: sharer.expiringSoonSeconds,
    actor: { ...caller.actor, userId: sharer.userId },
  }
  const find = () => foundOf(session, caller, sharer, principals)
  const held = await find()
  const people = await peopleOf(session, sharer, principals)
  refuseUnexamined(changes, people)
  const concerned = new Set([sharer.userId, ...[...people.values()].flatMap(({ userIds }) => userIds)])
  const decideNow = () => decide(session, caller, sharer, concerned)
  const before = await decideNow()
  const ownGroups = await groupsOfUser(session, sharer, principals)
  refuseUnlawful(sharer, changes, { held, before, ownGroups })

  const given = changes.flatMap(({ principal, grant }) => (grant === undefined ? [] : [{ principal, ...grant }]))
  const replaced = given.flatMap(({ principal }) => (hasGrant(held.get(principal)) ? [principal] : []))
  const removed = changes.flatMap(({ principal, grant }) => {
    const found = held.get(principal)
    const isRemoved = grant === undefined && hasGrant(found) && mayName(sharer, principal, found, before.get(principal))
    return isRemoved ? [principal] : []
  })
  const ended = [...replaced, ...removed]
  const isOwn = (principal: string) => principal === sharer.userId || ownGroups.has(principal)
  const endsOwn = changes.filter(({ principal }) => isOwn(principal) && ended.includes(principal))
  const refuseLifted = await watchLimits(session, { caller, sharer, document }, endsOwn)
  const without: Decisions =
    ended.length === 0 || !(changes.some(isWeaker) || sharer.decision.expiresAt !== null)
      ? before
      : await undone(session, async () => {
          await removeGrants(session, document, ended)
          return decideNow()
        })
  await removeGrants(session, document, removed)
  await replaceGrants(session, document, given)
  const after = await decideNow()
  refuseLowering(changes, people, { without, after })
  await refuseLifted?.()
  refuseOutliving(sharer, changes, people, { held, ended, without })
  const own = after.get(sharer.userId)
  return {
    ...(await resultOf(session, sharer, changes, { held, left: await find(), people, before, after })),
    canShare: own !== undefined && letsShare(own, sharer.isMember),
  }
}

/** Returns which of the principals are groups of the user who shares. */
async function groupsOfUser(
  session: Session,
  { key, userId, isMember }: Sharer,
  principals: readonly string[],
): Promise<Set<string>> {
  const groupIds = principals.map(principalIn).flatMap((holder) => ('groupId' in holder ? [holder.groupId] : []))
  if (groupIds.length === 0 || !isMember) return new Set()
  const rows = await session.run(FIND_GROUPS_OF_USER, [key, userId, groupIds])
  return new Set(rows.map(({ groupId }) => principalOfGroup(groupId)))
}

async function foundOf(
  session: Session,
  { apiKeyId }: AnyCaller,
  { key, resourceKey }: Sharer,
  principals: readonly string[],
): Promise<Map<string, FoundPrincipal>> {
  const rows = principals.map((principal) => ({ apiKeyId, organizationKey: key, resourceKey, principal }))
  const found = await session.runSet(FIND_PRINCIPALS, rows)
  return new Map(principals.flatMap((principal, index) => (found[index] ? [[principal, found[index]]] : [])))
}
