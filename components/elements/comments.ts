/** `<commonhold-comments>`: the threads of a document beside its text, and the composer for new ones. */
import type { PropertyDeclarations, PropertyValues } from 'lit'
import type { Connection } from '../connection/connection.ts'
import type { Follower } from '../connection/live.ts'
import { isResolved, type Person, type Thread } from '../connection/records.ts'
import { finder } from '../store/people.ts'
import { ThreadStore } from '../store/threads.ts'
import { commentsStyles } from '../styles/comments.ts'
import { scheme, shared } from '../styles/shared.ts'
import { ConnectedElement } from './base.ts'
import { commentsView, type Filter } from './comments-view.ts'
import { NewThread } from './new-thread.ts'
import { PageAnchors } from './page-anchors.ts'
import type { CommonholdThread } from './thread.ts'
import { ThreadFocus } from './thread-focus.ts'
import { SeenWatcher } from './watch-seen.ts'

export class CommonholdComments extends ConnectedElement {
  static override properties: PropertyDeclarations = {
    ...ConnectedElement.properties,
    documentId: { attribute: 'document-id' },
    for: {},
    filter: { reflect: true },
    pageUrl: { attribute: 'page-url' },
    version: { state: true },
    status: { state: true },
  }
  declare documentId: string | undefined
  /** The id of the element with the text. */
  declare for: string | undefined
  declare filter: Filter
  /** The address that notifications and mails lead to. Default: that of the page. */
  declare pageUrl: string | undefined
  declare private version: number
  declare private status: string
  #store: ThreadStore | undefined
  /** The one whose drafts are shown. */
  #resumed: ThreadStore | undefined
  #find: (query: string) => Promise<Person[]> = async () => []
  readonly #anchors = new PageAnchors(
    () => this.requestUpdate(),
    (annotationId) => void this.showThread(annotationId),
  )
  readonly #focus = new ThreadFocus(this, this.#anchors, {
    find: (annotationId) => this.#store?.threads.find((one) => one.annotationId === annotationId),
    list: (thread) => {
      if (!this.#isShown(thread)) this.filter = 'all'
    },
  })
  readonly #new = new NewThread(this, this.#anchors, {
    announce: (text) => this.#announce(text),
    add: async (...thread) => this.#store?.changes.add(...thread),
  })
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
    this.#new.anchor = null
    if (connection === undefined || !organizationId || !documentId) {
      this.#anchors.disconnect()
      return
    }
    const name = { organizationId, documentId }
    const store = new ThreadStore(connection, name, () => this.#show(store))
    this.#store = store
    this.#find = finder(connection, () => this.options.people, name, store)
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
    if (this.#store?.error === undefined) this.version++
    else void this.refresh()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#anchors.disconnect()
    this.#seen.disconnect()
  }

  override async refresh(): Promise<void> {
    await this.#store?.load()
  }

  /** Shows a thread, and gives it the focus. Returns false if there is no such thread. */
  async showThread(annotationId: string): Promise<boolean> {
    return this.#focus.show(annotationId)
  }

  #show(store: ThreadStore): void {
    if (store !== this.#store) return
    const others = store.arrived()
    if (others > 0) void this.#announce(this.say('arrived', { count: others }))
    this.#place(store)
    this.#resume(store)
    this.version++
    const { threads } = store
    this.dispatchEvent(
      new CustomEvent('commonhold-threads', {
        detail: { threads: threads.length, open: threads.filter((one) => !isResolved(one)).length },
      }),
    )
    if (store.isLoaded) this.#focus.showWanted()
  }

  /** Opens the form of a new thread again if the page was loaded again while somebody was writing. */
  #resume(store: ThreadStore): void {
    if (!store.isLoaded || this.#resumed === store) return
    this.#resumed = store
    const kept = store.canWrite ? store.draft('new').read() : undefined
    if (kept !== undefined && this.#new.anchor === null) this.#new.anchor = kept.anchor
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

  /** Also those in which somebody is writing, so that no text is lost when a thread is resolved meanwhile. */
  #isShown(thread: Thread): boolean {
    if (this.#focus.elementOf(thread.annotationId)?.isWriting ?? this.#store?.hasDraft(thread)) return true
    return this.filter === 'all' || isResolved(thread) === (this.filter === 'resolved')
  }

  #shown(store: ThreadStore): Thread[] {
    const threads = [...store.threads.filter((thread) => this.#isShown(thread)), ...this.#gone(store)]
    return this.#anchors.inOrder(threads)
  }

  /** The rest of threads that were deleted while somebody was writing in them: the unsent text, to be copied. */
  #gone(store: ThreadStore): Thread[] {
    const known = new Set(store.threads.map(({ annotationId }) => annotationId))
    return [...this.renderRoot.querySelectorAll<CommonholdThread>('commonhold-thread')]
      .filter((one) => one.isWriting && one.store === store && !known.has(one.thread.annotationId))
      .map(({ remains }) => remains)
  }

  /** Reads again; the button that does so is gone when that worked. */
  async #tryAgain(): Promise<void> {
    await this.refresh()
    await this.updateComplete
    if (this.#store?.error === undefined) this.renderRoot.querySelector<HTMLElement>('h2')?.focus()
  }

  readonly #done = async (text: string, thread: CommonholdThread): Promise<void> => {
    this.requestUpdate() // one that is listed only because of what was written in it leaves the list
    await this.#announce(text)
    // It may have left the list, and the focus with it.
    if (!thread.isConnected) this.renderRoot.querySelector<HTMLElement>('h2')?.focus()
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('for') && this.#store?.isLoaded) this.#place(this.#store)
    this.#seen.watch(this.renderRoot.querySelectorAll('commonhold-thread'))
  }

  protected override render() {
    const store = this.#store
    return commentsView({
      ...{ say: this.say, locale: this.locale, filter: this.filter, status: this.status, version: this.version },
      ...{
        activeId: this.#focus.activeId,
        writing: this.#new.anchor,
        anchors: this.#anchors,
        find: this.#find,
        done: this.#done,
      },
      store,
      threads: store === undefined ? [] : this.#shown(store),
      send: this.#new.send,
      choose: (filter) => {
        this.filter = filter
      },
      refresh: () => void this.#tryAgain(),
      write: this.#new.write,
      stopWriting: this.#new.stop,
      follow: this.#focus.follow,
    })
  }

  static override styles = [shared, scheme, commentsStyles]
}
