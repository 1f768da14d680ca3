/** One entry of the inbox: its sentence, the beginning of the text, its time, and its link. */
import { html, nothing, type TemplateResult } from 'lit'
import { type Notification, nameOf, webAddress } from '../connection/records.ts'
import type { Group } from '../store/inbox.ts'
import type { Say } from '../words/texts.ts'
import { timeView } from './comment.ts'

const BODY_SHOWN = 160

interface NotificationView {
  say: Say
  locale: string
  open(event: Event): void
  markRead(): void
}

export function notificationView(
  { newest, unread }: Group,
  { say, locale, open, markRead }: NotificationView,
): TemplateResult {
  const url = urlOf(newest)
  const body = newest.displayBodyMessage
  const contents = html`
      <span class="headline">${unread > 0 ? html`<span class="dot" part="unread"><span class="hidden">${say('isUnread')}</span></span>` : nothing}
        <bdi>${headlineOf(newest, say)}</bdi></span>
      <span class="body" dir="auto">${body.length > BODY_SHOWN ? `${body.slice(0, BODY_SHOWN).toWellFormed()}…` : body}</span>`
  return html`${
    url === undefined
      ? html`<button class="item" @click=${open}>${contents}</button>`
      : html`<a class="item" href=${url} @click=${open}>${contents}</a>`
  }<div class="row">${timeView(newest.timestamp, locale)}${
    unread > 0 ? html`<button part="button" class="plain" @click=${markRead}>${say('markRead')}</button>` : nothing
  }</div>`
}

/** Says what a comment notifies of in the words of the page; any other notification has its own. */
function headlineOf(
  { targetAnnotationId, actionType, actionUser, displayHeadlineMessage }: Notification,
  say: Say,
): string {
  const name = nameOf(actionUser)
  const key =
    targetAnnotationId === undefined
      ? undefined
      : { newlyAdded: 'started' as const, added: 'replied' as const }[actionType ?? '']
  return key === undefined ? (displayHeadlineMessage ?? name) : say(key, { name: `\u2068${name}\u2069` })
}

/** Returns the address of the page with the thread, as programs for the hosted original name it. */
export function urlOf({ notificationSourceData, targetAnnotationId }: Notification): string | undefined {
  const address = webAddress(notificationSourceData.pageInfo?.url)
  if (address === undefined || targetAnnotationId === undefined) return address
  const url = new URL(address)
  url.searchParams.set('scommentId', targetAnnotationId)
  return url.href
}
