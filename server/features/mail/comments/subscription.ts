/**
 * The page that ends mails about comments, or about one thread, and begins them again
 * (rules/comments.md#mails-about-comments). A mail program that unsubscribes with one click sends the same request as
 * the button (RFC 8058). Programs that scan mails open links, but press no buttons.
 */

import { SET_SUBSCRIPTIONS } from '#features/comments/shared.ts'
import { SET_MAIL_OFF } from '#features/notifications/shared.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Db } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { type Html, html } from '#platform/html.ts'
import { sendPage } from '#platform/page.ts'
import { lockOrganization } from '#tenancy/writes/organization.ts'
import { formPages, notValid } from '../pages.ts'
import { type MailSubject, SUBSCRIPTION_PATH, type SubscriptionLinks } from './links.ts'

/** The actor in events of threads that were muted by a link: nobody is signed in. */
const ACTOR = { system: 'mail' } as const

interface Subscription {
  isMailOff: boolean
}

/** Returns what user `$2` of organization `$1` gets; no row: there is no such user. */
export const GET_SUBSCRIPTION = statement<Subscription>(
  'comment-mails.get-subscription',
  /* sql */ `
  select coalesce(p.is_mail_off, false) as "isMailOff"
    from (select * from organizations where organization_key = $1 and added_at is not null) o
   cross join lateral (select u.user_id from users u where u.api_key_id = o.api_key_id and u.user_id = $2 limit 1) u
    left join lateral (
      select p.is_mail_off from notification_preferences p
       where p.organization_key = $1 and p.resource_key = $1 and p.user_id = $2 limit 1
    ) p on true`,
)

/**
 * Holds user `$2` of organization `$1` until the transaction ends; no row: there is no such user. An erasure that is
 * under way is not completed before, and one that is completed has deleted the user.
 */
export const HOLD_USER = statement<object>(
  'comment-mails.hold-user',
  /* sql */ `
  select from users u
   where u.api_key_id = (select o.api_key_id from organizations o where o.organization_key = $1 and o.added_at is not null)
     and u.user_id = $2
     for key share`,
)

export function subscriptionPages(db: Db, links: SubscriptionLinks, { app, limits }: Pipeline): void {
  const find = async ({ organizationKey, userId }: MailSubject) => {
    const [found] = await db.run(GET_SUBSCRIPTION, [organizationKey, userId])
    return found
  }

  const set = ({ organizationKey, userId, thread }: MailSubject, isOn: boolean) =>
    db.transaction(async (session) => {
      const [user] = await session.run(HOLD_USER, [organizationKey, userId])
      if (user === undefined) return
      await lockOrganization(session, organizationKey)
      if (thread === undefined) await session.run(SET_MAIL_OFF, [organizationKey, userId, !isOn])
      else {
        const subscription = isOn ? 'subscribed' : 'unsubscribed'
        const actor = JSON.stringify(ACTOR)
        const values = [organizationKey, thread.resourceKey, [thread.annotationId], userId, subscription, actor]
        await session.run(SET_SUBSCRIPTIONS, values)
      }
    })

  formPages(
    app,
    SUBSCRIPTION_PATH,
    async (request, reply) => {
      await limits.perAddress.consume(request.ip, reply)
      const { key, token, again } = request.query
      const subject = links.subjectOf(token)
      if (subject === undefined || (await find(subject)) === undefined) return sendPage(reply, 404, notValid)
      const isPressed = request.method === 'POST'
      if (isPressed) await set(subject, again !== undefined)
      const found = await find(subject)
      if (found === undefined) return sendPage(reply, 404, notValid)
      const link = new URLSearchParams({ ...(key && { key }), token: String(token) })
      const page =
        subject.thread === undefined ? pageOfMails(found, link) : pageOfThread(link, isPressed && again === undefined)
      return sendPage(reply, 200, page)
    },
    { ofApiKey: ({ query }) => String((query as { key?: string | string[] }).key) },
  )
}

const form = (link: URLSearchParams, button: string, again: boolean): Html =>
  html`<form method="post" action="?${String(link)}${again ? '&again=1' : ''}"><button>${button}</button></form>`

/** It confirms the request, not the stored state: the recipient may have lost access, and must not learn whether the thread exists. */
const pageOfThread = (link: URLSearchParams, isMuted: boolean) =>
  isMuted
    ? {
        title: 'The thread is muted',
        body: html`<p>You are no longer notified of this thread.</p>${form(link, 'Follow it again', true)}`,
      }
    : {
        title: 'Mute this thread?',
        body: html`<p>You will not be notified of this thread, even if you are mentioned.</p>${form(link, 'Mute the thread', false)}`,
      }

/** It does not name the organization, whose name may be newer than the access of the recipient. */
const pageOfMails = ({ isMailOff }: Subscription, link: URLSearchParams) =>
  isMailOff
    ? {
        title: 'You are unsubscribed',
        body: html`<p>You get no more mails about comments in this organization.</p>${form(link, 'Get them again', true)}`,
      }
    : {
        title: 'Unsubscribe?',
        body: html`<p>You will get no more mails about comments in this organization.</p>${form(link, 'Unsubscribe', false)}`,
      }
