/** Decides which events mails may report, and to whom. The settings of the key decide whether a mail is sent. */
import { MAIL_KINDS, type MailKind } from '#contract/service-configs.ts'
import type { FeedEvent } from '#tenancy/events/feed.ts'

const isKind = (type: string): type is MailKind => Object.hasOwn(MAIL_KINDS, type)

interface Access {
  groupId?: string
  accessRole?: string
  expiresAt?: number | null
}

/** A grant is news if the user had no access before, or gets another role. A later expiry alone is none: sign-ins extend it. */
function isNews({ type, before, after, changedAt }: FeedEvent): boolean {
  if (type !== 'permission.added' || before === null) return true
  const { accessRole, expiresAt } = before as Access
  const wasLive = expiresAt === null || expiresAt === undefined || expiresAt * 1000 > changedAt
  return !wasLive || accessRole !== (after as Access | null)?.accessRole
}

export interface Report {
  kind: MailKind
  /** The recipient; null: the users of `groupId`, or without one the owner of the key. */
  userId: string | null
  groupId: string | null
}

/** Returns the kind of mail and its recipients, or undefined if no mail reports the event. */
export function reportOf(event: FeedEvent): Report | undefined {
  const { type, userId } = event
  if (!isKind(type) || !isNews(event)) return undefined
  if (MAIL_KINDS[type] === 'owner') return { kind: type, userId: null, groupId: null }
  const { groupId = null } = (event.after ?? {}) as Access
  return userId === null && groupId === null ? undefined : { kind: type, userId, groupId }
}
