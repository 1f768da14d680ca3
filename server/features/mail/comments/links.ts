/**
 * The links of mails about comments: to the document, and to pages that end such mails. Those pages work for everybody
 * who has the mail: the token in the link names the user and is sealed with the master key, so no sign-in is needed.
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { allowsOrigin } from '#features/domains/shared.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { COMMENT_PARAMETER, webAddress } from '#tenancy/page-addresses.ts'

/** The mails that a page ends: those about one thread, or all about the organization. */
export interface MailSubject {
  organizationKey: OrganizationKey
  userId: string
  thread?: { resourceKey: string; annotationId: string }
}

export const SUBSCRIPTION_PATH = '/mail/subscription'

const CONTEXT = { column: 'mails.subscription', row: '' }

export function createSubscriptionLinks(sealer: Sealer, publicUrl: () => string) {
  return {
    /** The key says whose database has the subject, and nothing else: the token is what counts. */
    linkTo(apiKeyId: string, { organizationKey, userId, thread }: MailSubject): string {
      const parts = [
        organizationKey,
        userId,
        ...(thread === undefined ? [] : [thread.resourceKey, thread.annotationId]),
      ]
      return `${publicUrl()}${SUBSCRIPTION_PATH}?token=${sealer.seal(JSON.stringify(parts), CONTEXT).toString('base64url')}&key=${apiKeyId}`
    },

    /** Returns the purpose of a token, or undefined if it is not valid. */
    subjectOf(token: unknown): MailSubject | undefined {
      try {
        const [organizationKey = '', userId = '', resourceKey, annotationId = ''] = JSON.parse(
          sealer.open(Buffer.from(String(token), 'base64url'), CONTEXT),
        ) as string[]
        const thread = resourceKey === undefined ? undefined : { resourceKey, annotationId }
        return { organizationKey: organizationKey as OrganizationKey, userId, ...(thread && { thread }) }
      } catch {
        return undefined
      }
    },
  }
}
export type SubscriptionLinks = ReturnType<typeof createSubscriptionLinks>

/** The ids that the pattern of a key may contain. */
interface Ids {
  organizationId: string
  documentId: string
  annotationId: string
  commentId: number
}

/**
 * Returns the page of a document: by the pattern of the key, or else the page that the thread names; undefined if there
 * is none. Anybody who comments can name any page, so if the key has allowed domains, only pages of these are linked.
 */
export function documentLink(
  pattern: string,
  ids: Ids,
  pageInfo: { url?: string; commentUrl?: string } | undefined,
  allowedDomains: readonly string[],
): string | undefined {
  if (pattern !== '')
    return webAddress(
      pattern.replaceAll(/\{(organizationId|documentId|annotationId|commentId)\}/g, (_whole, name: keyof Ids) =>
        encodeURIComponent(ids[name]),
      ),
    )?.href
  const page = webAddress(pageInfo?.commentUrl) ?? webAddress(pageInfo?.url)
  if (page === undefined || (allowedDomains.length > 0 && !allowsOrigin(allowedDomains, page.origin))) return undefined
  if (!page.searchParams.has(COMMENT_PARAMETER)) page.searchParams.set(COMMENT_PARAMETER, ids.annotationId)
  return page.href
}
