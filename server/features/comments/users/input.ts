/**
 * Checks the input of calls with a user token on threads and comments: the author, and fields that such a call cannot
 * set (rules/comments.md#user-tokens).
 */
import type { FirstComment, ThreadChange, ThreadInput } from '#contract/comments/inputs.ts'
import type { TaggedUser } from '#contract/comments/parts.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { type AnyCaller, isUser, requireOwnUser } from '#tenancy/callers/own-user.ts'
import type { Faults } from '../checks.ts'

/** A comment of a call, whose author is known. */
export type AuthoredComment = FirstComment & { from: UserRef }

export const NOT_FOR_USERS = 'must not be given with a user token'

/** Adds a fault for each of the fields that is given. */
function refuse(sent: object, field: string, names: readonly string[], faults: Faults): void {
  for (const name of names)
    if ((sent as Record<string, unknown>)[name] !== undefined) faults.add(`${field}.${name}`, NOT_FOR_USERS)
}

/** A thread with an access context would be hidden from its own author, because a user token has no context. */
function refuseAccess(context: object | undefined, field: string, faults: Faults): void {
  if (context !== undefined) refuse(context, `${field}.context`, ['access'], faults)
}

/** A user names other people, but cannot give them an address or a picture. */
const nameOf = ({ userId, name }: UserRef): UserRef => ({ userId, ...(name !== undefined && { name }) })

const mentionsOf = <Tag extends TaggedUser>(tags: readonly Tag[]): Tag[] =>
  tags.map((tag) => ({ ...tag, contact: { ...nameOf(tag.contact), userId: tag.userId } }))

/** A user cannot add organizations or documents. */
export function refuseCreating(call: { createDocument?: boolean; createOrganization?: boolean }, faults: Faults): void {
  for (const name of ['createDocument', 'createOrganization'] as const) if (call[name]) faults.add(name, NOT_FOR_USERS)
}

const TIMES = ['createdAt', 'lastUpdated']

/** Returns the comments of a call with their authors. A comment of a user notifies and is recorded unless the call says otherwise. */
export function authored(
  caller: AnyCaller,
  comments: readonly FirstComment[],
  field: string,
  faults: Faults,
): AuthoredComment[] {
  return comments.map((comment, index) => {
    const at = `${field}[${index}]`
    const { from = { userId: '' }, taggedUserContacts } = comment
    if (!isUser(caller)) {
      if (comment.from === undefined) faults.add(`${at}.from`, 'is required')
      return { ...comment, from }
    }
    requireOwnUser(caller, comment.from?.userId)
    refuse(comment, at, [...TIMES, 'agent'], faults)
    return {
      triggerNotification: true,
      triggerActivities: true,
      ...comment,
      from: { userId: caller.userId },
      ...(taggedUserContacts && { taggedUserContacts: mentionsOf(taggedUserContacts) }),
    }
  })
}

/** Returns a thread of a call with a user token. Its id is the service's: the refusal of one that exists would reveal a hidden thread. */
export function threadOfUser<Thread extends ThreadInput>(thread: Thread, field: string, faults: Faults): Thread {
  refuse(thread, field, ['annotationId', ...TIMES], faults)
  refuseAccess(thread.context, field, faults)
  return { ...thread, ...(thread.assignedTo && { assignedTo: nameOf(thread.assignedTo) }) }
}

/**
 * Returns a change of comments by a user, without `from`. The comments are the user's own anyway, and `from` of the
 * first comment would set the author of the thread, who may be somebody else once the root is deleted.
 */
export function commentChangeOfUser<Change extends { from?: UserRef; taggedUserContacts?: TaggedUser[] }>(
  caller: UserCaller,
  change: Change,
  faults: Faults,
): Change {
  requireOwnUser(caller, change.from?.userId)
  refuse(change, 'updatedData', TIMES, faults)
  const changed = {
    ...change,
    ...(change.taggedUserContacts && { taggedUserContacts: mentionsOf(change.taggedUserContacts) }),
  }
  delete changed.from
  return changed
}

/** Fields of a thread that only its author changes; the others, an editor of the document too. */
const OF_THE_AUTHOR = ['from', 'visibility', 'context', 'actions'] as const

export const isForAuthor = (change: ThreadChange): boolean => OF_THE_AUTHOR.some((name) => change[name] !== undefined)

const OF_THE_SERVICE = 'must be the user of the token, beside a status: the service sets it when the status changes'

/**
 * Returns a change of threads by a user. If it has a status, the user is recorded as having set it and, if it is
 * terminal, as having resolved the threads. Without a status these fields cannot be set or cleared: otherwise a user
 * could claim or hide the actions of others.
 */
export function threadChangeOfUser(caller: UserCaller, change: ThreadChange, faults: Faults): ThreadChange {
  const { userId } = caller
  const { statusUpdatedByUserId, resolvedByUserId, ...own } = change
  const { from, assignedTo, status } = own
  for (const named of [from?.userId, statusUpdatedByUserId, resolvedByUserId])
    requireOwnUser(caller, named ?? undefined)
  for (const [name, named] of Object.entries({ statusUpdatedByUserId, resolvedByUserId }))
    if (named === null || (named !== undefined && !status)) faults.add(`updatedData.${name}`, OF_THE_SERVICE)
  refuse(change, 'updatedData', TIMES, faults)
  refuseAccess(change.context, 'updatedData', faults)
  return {
    ...own,
    ...(status && { statusUpdatedByUserId: userId }),
    ...(status?.type === 'terminal' && { resolvedByUserId: userId }),
    ...(from && { from: { userId } }),
    ...(assignedTo && { assignedTo: nameOf(assignedTo) }),
  }
}
