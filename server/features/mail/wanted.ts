/** Which events a mail may tell of, and whom. Whether it is sent is for the settings of the key to say. */
import { MAIL_KINDS, type MailKind } from '#contract/service-configs.ts'
import type { FeedEvent } from '#tenancy/events/feed.ts'

const isKind = (type: string): type is MailKind => Object.hasOwn(MAIL_KINDS, type)

interface Access {
  accessRole?: string
  expiresAt?: number | null
}

/** Of a grant: the user has access that there was none of before, or another role. A later end alone is no news: sign-ins move it. */
function isNews({ type, before, after, changedAt }: FeedEvent): boolean {
  if (type !== 'permission.added' || before === null) return true
  const { accessRole, expiresAt } = before as Access
  const wasLive = expiresAt === null || expiresAt === undefined || expiresAt * 1000 > changedAt
  return !wasLive || accessRole !== (after as Access | null)?.accessRole
}

export function wantedOf(event: FeedEvent): { kind: MailKind; userId: string | null } | undefined {
  const { type, userId } = event
  if (!isKind(type) || !isNews(event)) return undefined
  if (MAIL_KINDS[type] === 'owner') return { kind: type, userId: null }
  return userId === null ? undefined : { kind: type, userId }
}
