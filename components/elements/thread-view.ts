/** The parts above and below the comments of a thread: the quoted passage, and replying and resolving. */
import { html, nothing, type TemplateResult } from 'lit'
import { isResolved, nameOf, type Person, type Thread } from '../connection/records.ts'
import type { ThreadStore } from '../store/threads.ts'
import type { Say } from '../words/texts.ts'
import { composerView } from './composer-view.ts'

const QUOTE_SHOWN = 200

interface QuoteView {
  say: Say
  quote: string | undefined
  isFound: boolean
}

export function quoteView({ quote, isFound, say }: QuoteView, show: () => void): TemplateResult | typeof nothing {
  if (quote === undefined) return nothing
  const shown = quote.length > QUOTE_SHOWN ? `${quote.slice(0, QUOTE_SHOWN).toWellFormed()}…` : quote
  return html`<blockquote part="quote" dir="auto"><span>${shown}</span></blockquote>${
    isFound
      ? html`<button part="button" class="plain show" @click=${show}>${say('showInText')}</button>`
      : html`<p class="muted" part="orphaned">${say('orphaned')}</p>`
  }`
}

interface FootView {
  thread: Thread
  store: ThreadStore
  say: Say
  find(query: string): Promise<Person[]>
  isReplying: boolean
  reply(): void
  toggleResolved(): void
  cancel(): void
  done(): void
}

export function footView({ thread, store, say, find, isReplying, ...act }: FootView): TemplateResult {
  const resolved = isResolved(thread)
  const by = thread.resolvedByUser ?? (thread.resolvedByUserId ? { userId: thread.resolvedByUserId } : undefined)
  return html`
      ${resolved && by !== undefined ? html`<p class="muted">${say('resolvedBy', { name: `\u2068${nameOf(by)}\u2069` })}</p>` : nothing}
      ${
        isReplying
          ? composerView({
              ...{ id: 'reply', label: 'reply', placeholder: 'replyPlaceholder', submitLabel: 'reply', say, find },
              send: (written, key) => store.changes.reply(written, key, thread),
              draft: store.draft(`reply ${thread.annotationId}`),
              ...{ cancel: act.cancel, done: act.done },
            })
          : html`<div class="row">
              ${store.canWrite ? html`<button part="button" class="answer" @click=${act.reply}>${say('reply')}</button>` : nothing}
              ${
                store.mayResolve(thread)
                  ? html`<button part="button" class="resolve" @click=${act.toggleResolved}>${say(resolved ? 'reopen' : 'resolve')}</button>`
                  : nothing
              }</div>`
      }`
}
