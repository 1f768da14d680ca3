/** A thread: the quoted passage, its comments, replying, resolving, and for authors editing and deleting. */
import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { sayError } from '../connection/call-error.ts'
import { type Comment, isResolved, nameOf, type Person, type Thread } from '../connection/records.ts'
import type { ThreadStore } from '../store/threads.ts'
import { shared } from '../styles/shared.ts'
import { threadStyles } from '../styles/thread.ts'
import { textOf, toWritten } from '../words/mentions.ts'
import type { Say, Texts } from '../words/texts.ts'
import { commentView, ownView } from './comment.ts'
import { composerView } from './composer-view.ts'
import { footView, quoteView } from './thread-view.ts'

/** A longer thread shows its first comment and this number of the last ones. */
const LAST_SHOWN = 3

/** The open parts of a thread, with the ids of comments. */
interface Opened {
  isReplying?: boolean
  editing?: number | undefined
  deleting?: number | undefined
}

export class CommonholdThread extends LitElement {
  static override properties: PropertyDeclarations = {
    thread: { attribute: false },
    store: { attribute: false },
    say: { attribute: false },
    locale: { attribute: false },
    find: { attribute: false },
    done: { attribute: false },
    quote: { attribute: false },
    isFound: { attribute: false },
    isGone: { attribute: false },
    version: { attribute: false },
    isActive: { type: Boolean, reflect: true, attribute: 'active' },
    isReplying: { state: true },
    editing: { state: true },
    deleting: { state: true },
    whole: { state: true },
    isExpanded: { state: true },
    error: { state: true },
  }
  declare thread: Thread
  declare store: ThreadStore
  declare say: Say
  declare locale: string
  declare find: (query: string) => Promise<Person[]>
  /** Called when something was done, with what is said about it. */
  declare done: (text: string, thread: CommonholdThread) => void
  /** The passage that it is about. */
  declare quote: string | undefined
  /** Whether the passage is on the page. */
  declare isFound: boolean
  /** Whether it can no longer be read: deleted, or closed to the user. */
  declare isGone: boolean
  /** Another number makes it show the store again. */
  declare version: number
  declare isActive: boolean
  declare private isReplying: boolean
  declare private editing: number | undefined
  declare private deleting: number | undefined
  declare private whole: ReadonlySet<number>
  declare private isExpanded: boolean
  declare private error: string
  #busy = false

  constructor() {
    super()
    this.isActive = false
    this.isGone = false
    this.isReplying = false
    this.whole = new Set()
    this.isExpanded = false
    this.error = ''
  }

  override focus(options?: FocusOptions): void {
    ;(this.renderRoot.querySelector('article') as HTMLElement).focus(options)
  }

  /** Opens the forms whose drafts the tab has kept. */
  protected override willUpdate(): void {
    const { store, thread } = this
    if (this.hasUpdated || !store.hasDraft(thread)) return
    this.isReplying = store.draft(`reply ${thread.annotationId}`).read() !== undefined
    const { commentId } = store.draft(`edit ${thread.annotationId}`).read() ?? {}
    const isOwn = ({ from }: Comment) => from.userId === store.user?.userId
    this.editing = thread.comments.find((one) => one.commentId === commentId && isOwn(one))?.commentId
  }

  /** Whether somebody is writing in it. */
  get isWriting(): boolean {
    return this.isReplying || this.editing !== undefined
  }

  /** The rest of a thread that can no longer be read, for somebody who is writing in it: their own text. */
  get remains(): Thread {
    const { context: _, targetElement: __, ...thread } = this.thread
    return { ...thread, comments: thread.comments.filter(({ commentId }) => commentId === this.editing) }
  }

  /** Does something once at a time, and says why it failed. */
  async #act(done: keyof Texts, act: () => Promise<void>): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.error = ''
    try {
      await act()
      this.done(this.say(done), this)
    } catch (error) {
      this.error = sayError(error, this.say)
    }
    this.#busy = false
  }

  #toggleResolved(): Promise<void> {
    const resolve = !isResolved(this.thread)
    return this.#act(resolve ? 'resolvedNow' : 'reopenedNow', () =>
      this.store.changes.setResolved(this.thread, resolve),
    )
  }

  #remove(commentId: number): Promise<void> {
    void this.#open({ deleting: undefined }, 'article')
    const { annotationId } = this.thread
    return this.#act('deletedNow', () => this.store.changes.remove({ annotationId, commentId }))
  }

  /** Opens a part, and gives it the focus. */
  async #open(part: Opened, selector: string): Promise<void> {
    Object.assign(this, part)
    await this.updateComplete
    ;(this.renderRoot.querySelector(selector) as HTMLElement | null)?.focus()
  }

  /** Closes a form, gives the focus to an element that remains, and says what was done. */
  async #finish(part: Opened, selector: string, done?: keyof Texts): Promise<void> {
    const closed = this.#open(part, selector)
    this.done(done === undefined ? '' : this.say(done), this)
    await closed
  }

  protected override render() {
    const { thread, say } = this
    const { comments } = thread
    const last = this.isExpanded ? 0 : comments.length - LAST_SHOWN
    const shown = comments.filter(({ commentId }, index) => index === 0 || index >= last || commentId === this.editing)
    const hidden = comments.length - shown.length
    return html`
      <article part="thread" tabindex="-1" aria-label=${say('threadOf', { name: nameOf(thread.from) })}>
        ${this.isGone ? html`<p class="muted" part="orphaned">${say('gone')}</p>` : nothing}
        ${quoteView(this, () => this.dispatchEvent(new CustomEvent('thread-show')))}
        <ol role="list">
          ${repeat(
            shown,
            ({ commentId }) => commentId,
            (comment, index) =>
              html`<li part="comment">${this.#commentView(comment)}</li>${
                index === 0 && hidden > 0
                  ? html`<li><button part="button" class="plain" @click=${() => {
                      this.isExpanded = true
                      this.focus()
                    }}>${say('earlier', { count: hidden })}</button></li>`
                  : nothing
              }`,
          )}
        </ol>
        ${this.error === '' ? nothing : html`<p class="error" part="error" role="alert">${this.error}</p>`}
        ${this.#footView()}
      </article>`
  }

  #commentView(comment: Comment): TemplateResult {
    const { say, locale, store } = this
    const { commentId } = comment
    if (this.editing === commentId) return this.#editView(comment)
    // One at a time: the text of another that is being edited must stay.
    const isOwn = store.canWrite && this.editing === undefined && comment.from.userId === store.user?.userId
    const isWhole = this.whole.has(commentId)
    const showWhole = () => {
      this.whole = new Set([...this.whole, commentId])
      this.focus({ preventScroll: true }) // the button is gone
    }
    return html`${commentView({ comment, say, locale, me: store.user, isWhole, showWhole })}
      ${isOwn ? this.#ownView(comment) : nothing}`
  }

  #ownView({ commentId }: Comment): TemplateResult {
    return ownView({
      say: this.say,
      isOnly: this.thread.comments.length === 1,
      isDeleting: this.deleting === commentId,
      edit: () => void this.#open({ editing: commentId }, '#edit'),
      askToDelete: () => void this.#open({ deleting: commentId }, '#confirm'),
      remove: () => void this.#remove(commentId),
      keep: () => void this.#open({ deleting: undefined }, 'article'),
    })
  }

  #editView(comment: Comment): TemplateResult {
    const ids = { annotationId: this.thread.annotationId, commentId: comment.commentId }
    return composerView({
      ...{ id: 'edit', label: 'edit', submitLabel: 'save', say: this.say, find: this.find },
      send: (written) => this.store.changes.edit(written, ids),
      draft: this.store.draft(`edit ${ids.annotationId}`, ids),
      initial: toWritten(textOf(comment), comment.taggedUserContacts),
      cancel: () => void this.#finish({ editing: undefined }, 'article'),
      done: () => void this.#finish({ editing: undefined }, 'article', 'savedNow'),
    })
  }

  #footView(): TemplateResult {
    const { thread, store, say, find } = this
    return footView({
      ...{ thread, store, say, find, isReplying: this.isReplying },
      reply: () => void this.#open({ isReplying: true }, '#reply'),
      toggleResolved: () => void this.#toggleResolved(),
      cancel: () => void this.#finish({ isReplying: false }, '.answer'),
      done: () => void this.#finish({ isReplying: false }, '.answer', 'added'),
    })
  }

  static override styles = [shared, threadStyles]
}
