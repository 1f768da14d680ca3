/** The view of `<commonhold-comments>`: the filter, the threads, and the composer for a new thread. */
import { html, nothing, type TemplateResult } from 'lit'
import { ref } from 'lit/directives/ref.js'
import { repeat } from 'lit/directives/repeat.js'
import { quoteOf } from '../anchors/quotes.ts'
import { sayError } from '../connection/call-error.ts'
import type { Person, Thread } from '../connection/records.ts'
import type { Anchor, Written } from '../store/thread-changes.ts'
import type { ThreadStore } from '../store/threads.ts'
import type { Say } from '../words/texts.ts'
import { composerView } from './composer-view.ts'
import type { PageAnchors } from './page-anchors.ts'
import type { CommonholdThread } from './thread.ts'

export type Filter = 'open' | 'resolved' | 'all'
const FILTERS: readonly Filter[] = ['open', 'resolved', 'all']

/** Exported to the page, so that it can style them with `::part`. */
const THREAD_PARTS =
  'thread, comment, quote, orphaned, name, time, text, mention, error, button, composer, textarea, main-button, people'

/** The state of the element, and what can be done with it. */
export interface CommentsView {
  say: Say
  locale: string
  filter: Filter
  /** The text for screen readers. */
  status: string
  /** Changes when threads have to be drawn again. */
  version: number
  activeId: string | undefined
  /** The subject of the new thread: a passage, or undefined for the whole page; null: no thread is being written. */
  writing: Anchor | undefined | null
  anchors: PageAnchors
  store: ThreadStore | undefined
  /** The threads in the order in which they are shown. */
  threads: readonly Thread[]
  find(query: string): Promise<Person[]>
  done(text: string, thread: CommonholdThread): Promise<void>
  send(written: Written, key: string): Promise<void>
  choose(filter: Filter): void
  refresh(): void
  write(selected?: Range): Promise<void>
  stopWriting(status?: string): Promise<void>
  /** Shows the passage of a thread. */
  follow(annotationId: string): void
}

export function commentsView(view: CommentsView): TemplateResult {
  const { say, store } = view
  return html`
      <section part="panel" aria-label=${say('comments')}>
        <div class="row top">
          <h2 part="title" tabindex="-1">${say('comments')}</h2>
          <label class="row"><span class="muted">${say('show')}</span>
            <select part="filter" .value=${view.filter} @change=${(event: Event) => view.choose((event.target as HTMLSelectElement).value as Filter)}>${FILTERS.map((one) => html`<option value=${one} ?selected=${one === view.filter}>${say(one)}</option>`)}</select></label>
        </div>
        <div class="hidden" role="status">${view.status}</div>
        ${store === undefined ? nothing : storeView(view, store)}
      </section>
      ${
        store?.canWrite && view.writing === null
          ? selectionButton(view.anchors.selection(), say('comment'), view.write)
          : nothing
      }`
}

function storeView(view: CommentsView, store: ThreadStore): TemplateResult {
  const { say, threads } = view
  return html`
      ${
        store.error === undefined
          ? nothing
          : html`<div part="error" class="error" role="alert"><p>${sayError(store.error, say, true)}</p>
              <button part="button" @click=${view.refresh}>${say('tryAgain')}</button></div>`
      }
      ${store.isLoaded ? writeView(view, store) : store.error === undefined ? html`<p class="muted">${say('loading')}</p>` : nothing}
      ${store.isLoaded && store.error === undefined && threads.length === 0 ? html`<p class="muted">${say(view.filter === 'resolved' ? 'noResolved' : store.canWrite ? 'firstComment' : 'noComments')}</p>` : nothing}
      <ol role="list">${repeat(
        threads,
        ({ annotationId }) => annotationId,
        (thread) => html`<li>${threadView(view, store, thread)}</li>`,
      )}</ol>
      ${store.hasMore ? html`<button part="button" @click=${() => store.loadMore()}>${say('more')}</button>` : nothing}`
}

function threadView(view: CommentsView, store: ThreadStore, thread: Thread): TemplateResult {
  const { annotationId } = thread
  return html`<commonhold-thread data-id=${annotationId} exportparts=${THREAD_PARTS} .thread=${thread} .store=${store}
      .say=${view.say} .locale=${view.locale} .find=${view.find} .done=${view.done} .version=${view.version} .quote=${quoteOf(thread)}
      .isFound=${view.anchors.positionOf(annotationId) !== undefined} .isGone=${!store.threads.includes(thread)} .isActive=${annotationId === view.activeId}
      @thread-show=${() => view.follow(annotationId)}></commonhold-thread>`
}

function writeView(view: CommentsView, store: ThreadStore): TemplateResult {
  const { say, writing, anchors } = view
  // An unsent text stays when the role is revoked, so that it can be copied.
  if (!store.canWrite && writing === null) return html`<p class="muted">${say('readOnly')}</p>`
  if (writing === null) {
    const selected = anchors.selection()
    // Pressing it with the pointer must not lose the selection.
    return html`<button part="button main-button" id="write" class="main" @pointerdown=${(event: Event) => event.preventDefault()}
        @mousedown=${(event: Event) => event.preventDefault()} @click=${() => view.write(anchors.selection())}>
        ${say(selected === undefined ? 'newComment' : 'commentOn')}</button>`
  }
  const quote = writing?.selector.exact
  return html`<div class="new">
      ${quote === undefined ? html`<p class="muted">${say('aboutPage')}</p>` : html`<blockquote part="quote" dir="auto">${quote}</blockquote>`}
      ${composerView({
        ...{ id: 'new', label: 'comment', placeholder: 'placeholder', submitLabel: 'post' },
        ...{ say, find: view.find, send: view.send, draft: store.draft('new', { anchor: writing }) },
        cancel: () => void view.stopWriting(),
        done: () => void view.stopWriting(say('added')),
      })}</div>`
}

/** Between the selection and the button, and from there to the edges of the window, in pixels. */
const GAP = 6

/** Shows a button below the end of the selection, for those who point. With the keyboard there is the one above the threads. */
function selectionButton(
  selected: Range | undefined,
  label: string,
  press: (selected: Range) => void,
): TemplateResult | typeof nothing {
  const lines = selected?.getClientRects()
  const end = lines?.[lines.length - 1]
  if (selected === undefined || end === undefined) return nothing
  const place = (element: Element | undefined) => {
    if (!(element instanceof HTMLElement)) return
    const left = Math.min(Math.max(end.left + end.width / 2, GAP), innerWidth - element.offsetWidth - GAP)
    element.style.left = `${left}px`
    element.style.top = `${end.bottom + GAP}px`
  }
  // It is no stop for the keyboard: it would come long after the text, and does what the other button does.
  return html`<button part="button selection-button" class="main selection" tabindex="-1" aria-hidden="true" ${ref(place)}
    @mousedown=${(event: Event) => event.preventDefault()} @click=${() => press(selected)}>${label}</button>`
}
