/** `<commonhold-comments>`: the threads of a document beside its text, and where new ones are written. */
import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { quoteOf } from '../anchors/quotes.ts'
import { sayError } from '../connection/call-error.ts'
import type { Connection } from '../connection/connection.ts'
import type { Follower } from '../connection/live.ts'
import { isResolved, type Person, type Thread } from '../connection/records.ts'
import { finder } from '../store/people.ts'
import { type Anchor, ThreadStore, type Written } from '../store/threads.ts'
import { commentsStyles } from '../styles/comments.ts'
import { scheme, shared } from '../styles/shared.ts'
import { ConnectedElement } from './base.ts'
import type { CommonholdComposer } from './composer.ts'
import { PageAnchors } from './page-anchors.ts'
import { selectionButton } from './selection-button.ts'
import type { CommonholdThread } from './thread.ts'
import { SeenWatcher } from './watch-seen.ts'

type Filter = 'open' | 'resolved' | 'all'
const FILTERS: readonly Filter[] = ['open', 'resolved', 'all']

/** Exported to the page, so that it can style them with `::part`. */
const THREAD_PARTS =
  'thread, comment, quote, orphaned, name, time, text, mention, error, button, composer, textarea, main-button, people'

export class CommonholdComments extends ConnectedElement {
  static override properties: PropertyDeclarations = {
    ...ConnectedElement.properties,
    documentId: { attribute: 'document-id' },
    for: {},
    filter: { reflect: true },
    pageUrl: { attribute: 'page-url' },
    version: { state: true },
    writing: { state: true },
    status: { state: true },
    activeId: { state: true },
  }
  declare documentId: string | undefined
  /** The id of the element with the text. */
  declare for: string | undefined
  declare filter: Filter
  /** The address that notifications and mails lead to. Default: that of the page. */
  declare pageUrl: string | undefined
  declare private version: number
  /** What is being written about: a passage, or the whole page. */
  declare private writing: { anchor: Anchor | undefined } | undefined
  declare private status: string
  declare private activeId: string | undefined
  #store: ThreadStore | undefined
  #find: (query: string) => Promise<Person[]> = async () => []
  /** The thread that the address of the page names, until it was shown. */
  #wanted = new URL(location.href).searchParams.get('scommentId') ?? undefined
  readonly #anchors = new PageAnchors(
    () => this.requestUpdate(),
    (annotationId) => void this.showThread(annotationId),
  )
  readonly #seen = new SeenWatcher((ids) => void this.#see(ids))

  constructor() {
    super()
    this.filter = 'open'
    this.version = 0
    this.status = ''
  }

  protected override identity(): string {
    return `${super.identity()} ${JSON.stringify(this.documentId)}`
  }

  protected override start(connection: Connection | undefined): void {
    const { organizationId, documentId } = this
    this.#store = undefined
    this.writing = undefined
    if (connection === undefined || !organizationId || !documentId) {
      this.#anchors.disconnect()
      return
    }
    const name = { organizationId, documentId }
    const store = new ThreadStore(connection, name, () => this.#show(store))
    this.#store = store
    this.#find = finder(
      connection,
      () => this.options.people,
      name,
      () => store.threads,
    )
    void store.load()
  }

  protected override get follower(): Follower | undefined {
    const [store, documentId] = [this.#store, this.documentId]
    const on: Follower['on'] = (event, data) => {
      if (event === 'ready' || event === 'reset') void store?.load()
      else if (data.documentId === documentId) store?.take(data)
    }
    return store && documentId ? { documentId, on } : undefined
  }

  protected override showAgain(): void {
    this.version++
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener('keydown', this.#onKey)
    document.addEventListener('commonhold-open', this.#onOpen)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('keydown', this.#onKey)
    document.removeEventListener('commonhold-open', this.#onOpen)
    this.#anchors.disconnect()
    this.#seen.disconnect()
  }

  override async refresh(): Promise<void> {
    await this.#store?.load()
  }

  /** Shows a thread, and gives it the focus. Returns false if there is no such thread. */
  async showThread(annotationId: string): Promise<boolean> {
    const thread = this.#store?.threads.find((one) => one.annotationId === annotationId)
    if (thread === undefined) return false
    if (!this.#isShown(thread)) this.filter = 'all'
    this.activeId = annotationId
    this.#anchors.activate(annotationId)
    await this.updateComplete
    const element = this.#elementOf(annotationId)
    await element?.updateComplete
    element?.scrollIntoView({ block: 'nearest' })
    element?.focus()
    return true
  }

  #elementOf(annotationId: string): CommonholdThread | null {
    return this.renderRoot.querySelector(`commonhold-thread[data-id="${CSS.escape(annotationId)}"]`)
  }

  #show(store: ThreadStore): void {
    if (store !== this.#store) return
    const others = store.arrived()
    if (others > 0) void this.#announce(this.say('arrived', { count: others }))
    this.#place(store)
    this.version++
    const { threads } = store
    this.dispatchEvent(
      new CustomEvent('commonhold-threads', {
        detail: { threads: threads.length, open: threads.filter((one) => !isResolved(one)).length },
      }),
    )
    const wanted = this.#wanted
    if (!store.isLoaded || wanted === undefined) return
    this.#wanted = undefined
    void this.showThread(wanted)
  }

  #place(store: ThreadStore): void {
    const root = this.getRootNode() as Document | ShadowRoot
    this.#anchors.connect(this.for === undefined ? null : root.getElementById(this.for))
    this.#anchors.place(store.threads)
  }

  /** Says something to screen readers, also if it is the same as before. */
  async #announce(text: string): Promise<void> {
    this.status = ''
    await this.updateComplete
    this.status = text
  }

  async #see(ids: readonly string[]): Promise<void> {
    const shown = this.#store?.threads.filter(({ annotationId }) => ids.includes(annotationId)) ?? []
    if (await this.#store?.see(shown))
      this.dispatchEvent(new CustomEvent('commonhold-seen', { bubbles: true, composed: true }))
  }

  readonly #onKey = (event: KeyboardEvent) => {
    const isShortcut = event.altKey && (event.ctrlKey || event.metaKey) && event.code === 'KeyM'
    const selected = this.#anchors.selection()
    if (!isShortcut || selected === undefined) return
    event.preventDefault()
    void this.#write(selected)
  }

  readonly #onOpen = (event: Event) => {
    const { organizationId, documentId, annotationId } = (event as CustomEvent).detail
    if (organizationId !== this.organizationId || documentId !== this.documentId || !annotationId) return
    if (!this.#store?.threads.some((one) => one.annotationId === annotationId)) return
    event.preventDefault()
    void this.showThread(annotationId)
  }

  async #write(selected?: Range): Promise<void> {
    const anchor = selected && this.#anchors.describe(selected)
    this.writing = { anchor }
    this.#anchors.activate(anchor && selected?.cloneRange())
    await this.updateComplete
    await this.renderRoot.querySelector<CommonholdComposer>('#new')?.focus()
  }

  async #stopWriting(status = ''): Promise<void> {
    this.writing = undefined
    this.#anchors.activate(undefined)
    await this.#announce(status)
    this.renderRoot.querySelector<HTMLElement>('#write')?.focus()
  }

  readonly #send = async (written: Written, key: string): Promise<void> => {
    const url = this.pageUrl ?? addressOfPage()
    await this.#store?.add(written, key, this.writing?.anchor, { url, title: document.title.slice(0, 200) })
  }

  /** Also those in which somebody is writing, so that no text is lost when a thread is resolved meanwhile. */
  #isShown(thread: Thread): boolean {
    if (this.#elementOf(thread.annotationId)?.isWriting) return true
    return this.filter === 'all' || isResolved(thread) === (this.filter === 'resolved')
  }

  /** Returns the threads to show in the order of their passages; those about the whole page, and those whose passage is gone, follow. */
  #shown(store: ThreadStore): Thread[] {
    const place = ({ annotationId }: Thread) => this.#anchors.positionOf(annotationId) ?? Number.POSITIVE_INFINITY
    return store.threads
      .filter((thread) => this.#isShown(thread))
      .sort((one, other) => {
        const [before, after] = [place(one), place(other)]
        return before === after ? one.createdAt - other.createdAt : before - after
      })
  }

  readonly #done = async (text: string, thread: CommonholdThread): Promise<void> => {
    await this.#announce(text)
    // It may have left the list, and the focus with it.
    if (!thread.isConnected) this.renderRoot.querySelector<HTMLElement>('h2')?.focus()
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('for') && this.#store?.isLoaded) this.#place(this.#store)
    this.#seen.watch(this.renderRoot.querySelectorAll('commonhold-thread'))
  }

  protected override render() {
    const { say } = this
    const store = this.#store
    return html`
      <section part="panel" aria-label=${say('comments')}>
        <div class="row top">
          <h2 part="title" tabindex="-1">${say('comments')}</h2>
          <label class="row"><span class="muted">${say('show')}</span>
            <select part="filter" .value=${this.filter} @change=${(event: Event) => {
              this.filter = (event.target as HTMLSelectElement).value as Filter
            }}>${FILTERS.map((one) => html`<option value=${one} ?selected=${one === this.filter}>${say(one)}</option>`)}</select></label>
        </div>
        <div class="hidden" role="status">${this.status}</div>
        ${store === undefined ? nothing : this.#storeView(store)}
      </section>
      ${
        store?.canWrite && this.writing === undefined
          ? selectionButton(this.#anchors.selection(), say('comment'), (range) => void this.#write(range))
          : nothing
      }`
  }

  #storeView(store: ThreadStore): TemplateResult {
    const { say } = this
    const threads = this.#shown(store)
    return html`
      ${
        store.error === undefined
          ? nothing
          : html`<div part="error" class="error" role="alert"><p>${sayError(store.error, say, true)}</p>
              <button part="button" @click=${() => this.refresh()}>${say('tryAgain')}</button></div>`
      }
      ${store.isLoaded ? this.#writeView(store) : store.error === undefined ? html`<p class="muted">${say('loading')}</p>` : nothing}
      ${store.isLoaded && store.error === undefined && threads.length === 0 ? html`<p class="muted">${say(this.filter === 'resolved' ? 'noResolved' : 'noComments')}</p>` : nothing}
      <ol role="list">${repeat(
        threads,
        ({ annotationId }) => annotationId,
        (thread) => html`<li>${this.#threadView(store, thread)}</li>`,
      )}</ol>
      ${store.hasMore ? html`<button part="button" @click=${() => store.loadMore()}>${say('more')}</button>` : nothing}`
  }

  #threadView(store: ThreadStore, thread: Thread): TemplateResult {
    const { annotationId } = thread
    return html`<commonhold-thread data-id=${annotationId} exportparts=${THREAD_PARTS} .thread=${thread} .store=${store}
      .say=${this.say} .locale=${this.locale} .find=${this.#find} .done=${this.#done} .version=${this.version} .quote=${quoteOf(thread)}
      .isFound=${this.#anchors.positionOf(annotationId) !== undefined} .isActive=${annotationId === this.activeId}
      @thread-show=${() => {
        this.activeId = annotationId
        this.#anchors.activate(annotationId)
        this.#anchors.scrollTo(annotationId)
      }}></commonhold-thread>`
  }

  #writeView(store: ThreadStore): TemplateResult {
    const { say, writing } = this
    if (!store.canWrite) return html`<p class="muted">${say('readOnly')}</p>`
    if (writing === undefined) {
      const selected = this.#anchors.selection()
      // Pressing it with the pointer must not lose the selection.
      return html`<button part="button main-button" id="write" class="main" @pointerdown=${(event: Event) => event.preventDefault()}
        @mousedown=${(event: Event) => event.preventDefault()} @click=${() => this.#write(this.#anchors.selection())}>
        ${say(selected === undefined ? 'newComment' : 'commentOn')}</button>`
    }
    const quote = writing.anchor?.selector.exact
    return html`<div class="new">
      ${quote === undefined ? html`<p class="muted">${say('aboutPage')}</p>` : html`<blockquote part="quote" dir="auto">${quote}</blockquote>`}
      <commonhold-composer id="new" exportparts="composer, textarea, button, main-button, people, error" .say=${say}
        .label=${say('comment')} .placeholder=${say('placeholder')} .submitLabel=${say('post')} .find=${this.#find} .canCancel=${true}
        .send=${this.#send} @composer-cancel=${() => this.#stopWriting()} @composer-done=${() => this.#stopWriting(say('added'))}>
      </commonhold-composer></div>`
  }

  static override styles = [shared, scheme, commentsStyles]
}

/** Returns the address of the page without the thread that it may name. */
function addressOfPage(): string {
  const url = new URL(location.href)
  url.searchParams.delete('scommentId')
  url.hash = ''
  return url.href
}
