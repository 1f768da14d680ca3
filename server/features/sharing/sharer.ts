/**
 * The user who shares a document or reads its sharing, and what they may do: decided in the transaction of the call, by
 * the one access decision. Hidden things are refused with the same words as things that do not exist.
 */
import type { UserSharing } from '#contract/access/sharing.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { type DecisionRow, decideDocuments } from '#features/permissions/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser } from '#tenancy/callers/own-user.ts'
import { requireResourceAndAccess } from '#tenancy/existence.ts'
import type { AccessInForce } from '#tenancy/public-access.ts'
import { documentDoesNotExist } from '#tenancy/refusals.ts'
import { FIND_PRINCIPALS, FIND_SETTINGS, type OwnGrants } from './statements.ts'

export interface NamedDocument {
  organizationId: string
  documentId: string
}

export interface Sharer extends NamedDocument, AccessInForce {
  userId: string
  key: OrganizationKey
  resourceKey: string
  decision: DecisionRow
  /** Has a live grant on the organization, and so may know its members and user groups. */
  isMember: boolean
  /** The grants that the user holds on the document itself. */
  ownGrants: OwnGrants | undefined
  canShare: boolean
  expiringSoonSeconds: number
  now: Date
}

const roleMissing = (needed: string) => new StatusError('PERMISSION_DENIED', 'access_role_missing', needed)

/**
 * Returns whether a decision lets a user share. Public access makes nobody an editor here: such a user could keep the
 * access by a grant to a friend.
 */
export const letsShare = ({ allowed, accessRole, reason }: DecisionRow, isMember: boolean): boolean =>
  allowed && accessRole === 'editor' && isByGrantOrMembership({ reason }, isMember)

const isByGrantOrMembership = ({ reason }: Pick<DecisionRow, 'reason'>, isMember: boolean): boolean =>
  reason !== 'access_type' || isMember

/** Refuses a user token where the API key does not let users share. Returns the settings of the key. */
export async function requireSharing(session: Session, caller: AnyCaller) {
  const [settings] = await session.run(FIND_SETTINGS, [caller.apiKeyId])
  if (settings === undefined) throw credentialsInvalid()
  if (isUser(caller) && settings.userSharing === 'none')
    throw new StatusError(
      'PERMISSION_DENIED',
      'user_sharing_off',
      'The API key does not let its users share documents or see who has access to them. To allow it, set userSharing.',
    )
  return settings
}

type Settings = Awaited<ReturnType<typeof requireSharing>>

/** Returns the user as one who may see who has access, or as one who may share it. Refuses all others. */
export async function requireSharer(
  session: Session,
  caller: AnyCaller,
  { organizationId, documentId }: NamedDocument,
  { userId, to, settings }: { userId: string; to: 'look' | 'share'; settings?: Settings },
): Promise<Sharer> {
  const { userSharing, expiringSoonSeconds, now } = settings ?? (await requireSharing(session, caller))
  const key = organizationKey(caller, organizationId)
  const named = { type: 'document', id: documentId } as const
  // An auth token learns that the document does not exist before it learns anything of the user.
  if (!isUser(caller)) await requireResourceAndAccess(session, key, named)
  const [decision] = await decideDocuments(session, caller, organizationId, [{ userId, documentId }])
  if (!decision?.allowed) throw isUser(caller) ? documentDoesNotExist() : roleMissing(NO_ACCESS)
  const { resourceKey, access } = await requireResourceAndAccess(session, key, named)
  const row = { apiKeyId: caller.apiKeyId, organizationKey: key, resourceKey, principal: userId }
  const [found] = await session.runSet(FIND_PRINCIPALS, [row])
  const isMember = found?.isMember === true
  const canShare = letsShare(decision, isMember)
  const mayLook = canShare || (isByGrantOrMembership(decision, isMember) && letsReadersLook(caller, userSharing))
  if (to === 'share' ? !canShare : !mayLook) throw roleMissing(to === 'share' ? MAY_NOT_SHARE : MAY_NOT_LOOK)
  return {
    ...{ organizationId, documentId, userId, key, resourceKey, access },
    ...{ decision, isMember, ownGrants: found, canShare, expiringSoonSeconds, now },
  }
}

/** An app that calls with an auth token decides itself whom it shows the result. */
const letsReadersLook = (caller: AnyCaller, userSharing: UserSharing): boolean =>
  !isUser(caller) || userSharing === 'editorsAndReaders'

const NO_ACCESS = 'The user has no access to the document.'
const MAY_NOT_SHARE =
  'Sharing needs the role editor on the document by a grant or membership, not by its access type alone.'
const MAY_NOT_LOOK = 'Seeing who has access to the document needs the role editor on it by a grant or membership.'
