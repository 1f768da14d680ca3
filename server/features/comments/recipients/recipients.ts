/** Decides who is notified of comments, as of the time of the call (rules/comments.md#recipients). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { DEFAULT_CHANNELS } from '#contract/notifications/preferences.ts'
import type { Session } from '#platform/db/db.ts'
import { LIST_RECIPIENTS, RECIPIENTS_PAGE, type RecipientRow } from './statements.ts'

/** A comment, or a thread without one, that a channel notifies of. */
export interface Subject {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  /** Absent: the thread, of which nobody has seen anything. */
  commentId?: number | undefined
  /** The notification is of a change of the comment. Absent: of the comment. */
  isChange?: boolean
  /** When the change was made: users who have seen the thread since then have seen it. */
  changedAt?: Date | null
  /** The user who acted, and is not notified. Absent: the author of the comment. */
  actorId?: string | undefined
  /** The users after this one; absent: from the first on. */
  afterUserId?: string | undefined
  /** The only user to decide about. Absent: everybody involved. */
  onlyUserId?: string | undefined
}

export type Recipient = Omit<RecipientRow, 'index'>

export interface Recipients {
  /** Everybody involved, in the order of ids, with the reason why some are left out. */
  users: Recipient[]
  /** There may be more after the last of them. */
  hasMore: boolean
}

/** Returns the first users whom each of the subjects involves, at most 1,000 of each, in one statement. */
export async function listRecipients(
  session: Pick<Session, 'runSet'>,
  channel: string,
  subjects: readonly Subject[],
): Promise<Recipients[]> {
  const defaultLevel = { ...DEFAULT_CHANNELS }[channel] ?? 'MINE'
  const rows = await session.runSet(
    LIST_RECIPIENTS,
    subjects.map(({ commentId = null, isChange = false, changedAt = null, actorId = null, ...subject }) => {
      const { afterUserId = '', onlyUserId = null, ...named } = subject
      return { ...named, commentId, isChange, changedAt, actorId, afterUserId, onlyUserId, channel, defaultLevel }
    }),
  )
  const all: Recipients[] = subjects.map(() => ({ users: [], hasMore: false }))
  for (const { index, ...user } of rows) all[index]?.users.push(user)
  for (const each of all) each.hasMore = each.users.length === RECIPIENTS_PAGE
  return all
}
