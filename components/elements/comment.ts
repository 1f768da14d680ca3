/** One comment: who, when, its text with mentions and links, and for its author editing and deleting. */
import { html, nothing, type TemplateResult } from 'lit'
import { type Comment, nameOf, type Person, webAddress } from '../connection/records.ts'
import { partsOf, textOf } from '../words/mentions.ts'
import type { Say } from '../words/texts.ts'

const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** Returns how long ago a moment in milliseconds was; from a week on, its date. */
function ago(moment: number, locale: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - moment) / 1_000)
  if (seconds >= 7 * 86_400) return new Date(moment).toLocaleDateString(locale, { dateStyle: 'medium' })
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, size] of STEPS) if (seconds >= size) return words.format(-Math.floor(seconds / size), unit)
  return words.format(0, 'second')
}

const exactly = (moment: number, locale: string): string =>
  new Date(moment).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short' })

/** A longer text is shown as a whole only when somebody asks for it. */
const SHOWN_LENGTH = 1_200

export interface CommentView {
  comment: Comment
  say: Say
  locale: string
  me: Person | undefined
  isWhole: boolean
  showWhole: () => void
}

/** Names are isolated, so that their direction marks turn no other words. */
const nameView = (person: Person, { me, say }: Pick<CommentView, 'me' | 'say'>): TemplateResult =>
  html`<bdi part="name" class="name">${nameOf(person)}</bdi>${
    person.userId === me?.userId ? html` <span class="muted">(${say('you')})</span>` : nothing
  }`

export const timeView = (moment: number, locale: string): TemplateResult =>
  html`<time part="time" datetime=${new Date(moment).toISOString()} title=${exactly(moment, locale)}>${ago(moment, locale)}</time>`

export function commentView(view: CommentView): TemplateResult {
  const { comment, say, locale, isWhole } = view
  return html`
    <div class="row head">
      ${nameView(comment.from, view)} ${timeView(comment.createdAt, locale)}
      ${comment.status === 'updated' ? html`<span class="muted">${say('edited')}</span>` : nothing}
    </div>
    ${textView(comment, isWhole)}
    ${
      !isWhole && textOf(comment).length > SHOWN_LENGTH
        ? html`<button part="button" class="plain" @click=${view.showWhole}>${say('whole')}</button>`
        : nothing
    }
    ${attachmentsView(comment)}`
}

export interface OwnView {
  say: Say
  /** The thread has no other comment. */
  isOnly: boolean
  isDeleting: boolean
  edit(): void
  askToDelete(): void
  remove(): void
  keep(): void
}

/** The actions of authors on their comment. */
export const ownView = ({ say, isOnly, isDeleting, edit, askToDelete, remove, keep }: OwnView): TemplateResult =>
  isDeleting
    ? html`<div class="row"><span>${say(isOnly ? 'deleteThread' : 'deleteComment')}</span>
        <button part="button" id="confirm" @click=${remove}>${say('delete')}</button>
        <button part="button" class="plain" @click=${keep}>${say('cancel')}</button></div>`
    : html`<div class="row own">
        <button part="button" class="plain" @click=${edit}>${say('edit')}</button>
        <button part="button" class="plain" @click=${askToDelete}>${say('delete')}</button></div>`

function textView(comment: Comment, isWhole: boolean): TemplateResult {
  const text = textOf(comment)
  const shown = isWhole || text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH).toWellFormed()}…`
  // The white space between tags would be shown, because the text keeps its lines.
  return html`<p part="text" class="text" dir="auto">${partsOf(shown, comment.taggedUserContacts).map((part) =>
    typeof part === 'string'
      ? part
      : 'mention' in part
        ? html`<bdi part="mention" class="mention">@${part.mention}</bdi>`
        : html`<a href=${part.link} target="_blank" rel="noopener noreferrer nofollow ugc"><bdi>${part.shown}</bdi></a>`,
  )}</p>`
}

function attachmentsView({ attachments = [] }: Comment): TemplateResult | typeof nothing {
  if (attachments.length === 0) return nothing
  return html`<ul class="files">${attachments.map(({ name, url }) => {
    const link = webAddress(url)
    const shown = html`<bdi>${name || link || '…'}</bdi>`
    return html`<li>${
      link === undefined
        ? shown
        : html`<a href=${link} target="_blank" rel="noopener noreferrer nofollow ugc">${shown}</a>`
    }</li>`
  })}</ul>`
}
