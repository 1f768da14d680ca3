/** Decides which events mails may report, and to whom. The settings of the key decide whether a mail is sent. */
import { PERMISSION_PROVIDER } from '#contract/access/permission-provider.ts'
import { MAIL_KINDS, type MailKind } from '#contract/keys/service-configs.ts'
import type { FeedEvent } from '#tenancy/events/feed.ts'
import { inviteeOf } from '#tenancy/principals.ts'

const isKind = (type: string): type is MailKind => Object.hasOwn(MAIL_KINDS, type)

interface Access {
  groupId?: string
  accessRole?: string
  expiresAt?: number | null
}

/**
 * A grant is news if the user had no access before, or gets another role. A later expiry alone is not news, because sign-ins
 * extend it. A grant of a permission provider is not news either: the user has just asked for it, and gets it again every hour.
 */
function isNews({ type, actor, before, after, changedAt }: FeedEvent): boolean {
  if ('system' in actor && actor.system === PERMISSION_PROVIDER) return false
  if (type !== 'permission.added' || before === null) return true
  const { accessRole, expiresAt } = before as Access
  const wasLive = expiresAt === null || expiresAt === undefined || expiresAt * 1000 > changedAt
  return !wasLive || accessRole !== (after as Access | null)?.accessRole
}

export interface Report {
  kind: MailKind
  /** The recipient, a user or an invitee; null: the users of `groupId`, or without one the owner of the key. */
  userId: string | null
  groupId: string | null
  /** Whether it is sent if the key has no setting for the kind. */
  byDefault: boolean
}

/** Returns the kind of mail and its recipients, or undefined if no mail reports the event. */
export function reportOf(event: FeedEvent): Report | undefined {
  const { userId, after } = event
  const kind = event.type === 'invitation.renewed' ? 'invitation.added' : event.type
  if (!isKind(kind) || !isNews(event)) return undefined
  const to = MAIL_KINDS[kind]
  if (to === 'owner') return { kind, userId: null, groupId: null, byDefault: true }
  if (to === 'invited') {
    const { email } = (after ?? {}) as { email?: string }
    return email === undefined ? undefined : { kind, userId: inviteeOf(email), groupId: null, byDefault: true }
  }
  const { groupId = null } = (after ?? {}) as Access
  return userId === null && groupId === null ? undefined : { kind, userId, groupId, byDefault: false }
}
