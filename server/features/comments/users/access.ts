/**
 * What the user of a call may do with the threads of a document (rules/comments.md#user-tokens). All of it is decided
 * in the transaction that writes, under the lock of the organization. Hidden things are refused with the same words as
 * things that do not exist.
 */
import type { AccessRole } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { requireOpenDocument } from '#features/permissions/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser } from '#tenancy/callers/own-user.ts'
import { requireResource } from '#tenancy/existence.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganizations, lockOrganization } from '#tenancy/writes/organization.ts'
import { requireSignedIn } from '#tenancy/writes/signed-in.ts'
import type { StoredVisibility } from '../content.ts'
import { FIND_COMMENTS_OF_OTHERS, FIND_MEMBERSHIPS, FIND_VISIBLE_THREADS } from './statements.ts'

export interface NamedDocument {
  organizationId: string
  documentId: string
}

export interface DocumentKeys {
  key: OrganizationKey
  resourceKey: string
}

/** Reads threads and whether the user sees them, as of one moment. */
export const SNAPSHOT = { snapshot: true } as const

export const threadDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'thread_does_not_exist', 'The thread does not exist.')

/** Returns the role of the user on a document in which they may write comments. */
export async function requireWriter(
  session: Session,
  caller: UserCaller,
  document: NamedDocument,
): Promise<AccessRole> {
  const role = await requireOpenDocument(session, caller, document)
  if (role !== 'viewer') return role
  const message = 'Writing comments needs the role commenter or editor on the document.'
  throw new StatusError('PERMISSION_DENIED', 'access_role_missing', message)
}

/**
 * Runs a change of the threads of a document under the lock of its organization. With a user token, the user must have
 * access to the document and, for a `writer`, a role that writes comments; `role` is the user's role.
 */
export function changeDocument<T>(
  db: Db,
  caller: AnyCaller,
  { organizationId, documentId }: NamedDocument,
  by: 'reader' | 'writer',
  work: (session: Session, document: DocumentKeys & { role: AccessRole | undefined }) => Promise<T>,
): Promise<T> {
  const key = organizationKey(caller, organizationId)
  return changeOrganizations(db, caller, [key], async (session) => {
    const isThere = await lockOrganization(session, key)
    await requireSignedIn(session, caller)
    const require = by === 'writer' ? requireWriter : requireOpenDocument
    const role = isUser(caller) ? await require(session, caller, { organizationId, documentId }) : undefined
    if (!isThere) throw organizationDoesNotExist()
    const resourceKey = await requireResource(session, key, { type: 'document', id: documentId })
    return work(session, { key, resourceKey, role })
  })
}

/** Returns the threads among `ids` that the user of the call sees, and whether each is their own. */
export async function visibleThreads(
  session: Session,
  { userId }: UserCaller,
  { key, resourceKey }: DocumentKeys,
  ids: readonly string[],
): Promise<Map<string, boolean>> {
  const rows = await session.run(FIND_VISIBLE_THREADS, [key, resourceKey, ids, userId])
  return new Map(rows.map(({ annotationId, isOwn }) => [annotationId, isOwn]))
}

/** Refuses a thread that the user does not see. Returns the keys of its document. */
export async function requireVisibleThread(
  session: Session,
  caller: UserCaller,
  { organizationId, documentId, annotationId }: NamedDocument & { annotationId: string },
): Promise<DocumentKeys> {
  const key = organizationKey(caller, organizationId)
  const resourceKey = await requireResource(session, key, { type: 'document', id: documentId })
  const visible = await visibleThreads(session, caller, { key, resourceKey }, [annotationId])
  if (visible.size === 0) throw threadDoesNotExist()
  return { key, resourceKey }
}

/** Returns the comments that others have written, in a thread in which the user may write. */
export async function commentsOfOthers(
  session: Session,
  caller: UserCaller,
  thread: NamedDocument & { annotationId: string; commentIds?: number[] },
): Promise<Set<number>> {
  await requireWriter(session, caller, thread)
  const { key, resourceKey } = await requireVisibleThread(session, caller, thread)
  const { annotationId, commentIds = [] } = thread
  const values = [key, resourceKey, annotationId, commentIds, caller.userId]
  return new Set((await session.run(FIND_COMMENTS_OF_OTHERS, values)).map(({ commentId }) => commentId))
}

/** Refuses a visibility for organizations of which the user is not a member, whether they exist or not. */
export async function requireMembership(
  session: Session,
  { userId }: UserCaller,
  visibilities: readonly { field: string; visibility: StoredVisibility | undefined }[],
): Promise<void> {
  const keys = visibilities.flatMap(({ visibility }) => visibility?.organizationKeys ?? [])
  if (keys.length === 0) return
  const asked = [...new Set(keys)].map((organizationKey) => ({ organizationKey, userId }))
  const rows = await session.runSet(FIND_MEMBERSHIPS, asked)
  const own = new Set(rows.map((row) => row.organizationKey))
  const faults = visibilities.flatMap(({ field, visibility }) => {
    const isMember = (visibility?.organizationKeys ?? []).every((key) => own.has(key))
    const at = `${field}.organizationId`
    return isMember ? [] : [{ field: at, message: `${at} must be an organization of which the user is a member` }]
  })
  if (faults.length > 0) throw invalidArgument(faults)
}
