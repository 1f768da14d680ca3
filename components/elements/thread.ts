/** A thread: the quoted passage, its comments, answering, resolving, and for authors editing and deleting. */
import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { sayError } from '../connection/call-error.ts'
import { type Comment, isResolved, nameOf, type Person, type Thread } from '../connection/records.ts'
import type { ThreadStore, Written } from '../store/threads.ts'
import { shared } from '../styles/shared.ts'
import { threadStyles } from '../styles/thread.ts'
import { textOf, toWritten } from '../words/mentions.ts'
import type { Say, Texts } from '../words/texts.ts'
import { commentView } from './comment.ts'

/** Of a longer thread the first comment and the last ones are shown. */
const LAST_SHOWN = 3
const QUOTE_SHOWN = 200

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
    this.isReplying = false
    this.whole = new Set()
    this.isExpanded = false
    this.error = ''
  }

  override focus(): void {
    ;(this.renderRoot.querySelector('article') as HTMLElement).focus()
  }

  /** Whether somebody is writing in it. */
  get isWriting(): boolean {
    return this.isReplying || this.editing !== undefined
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
    return this.#act(resolve ? 'resolvedNow' : 'reopenedNow', () => this.store.setResolved(this.thread, resolve))
  }

  #remove({ commentId }: Comment): Promise<void> {
    this.deleting = undefined
    const { annotationId } = this.thread
    return this.#act('deletedNow', () => this.store.remove({ annotationId, commentId }))
  }

  /** Opens what it contains, and gives it the focus. */
  async #open(selector: string): Promise<void> {
    await this.updateComplete
    ;(this.renderRoot.querySelector(selector) as HTMLElement | null)?.focus()
  }

  async #close(selector: string): Promise<void> {
    this.isReplying = false
    this.editing = undefined
    this.deleting = undefined
    await this.#open(selector)
  }

  protected override render() {
    const { thread, say } = this
    const { comments } = thread
    const hidden = this.isExpanded ? 0 : Math.max(0, comments.length - 1 - LAST_SHOWN)
    const shown = comments.filter((_, index) => index === 0 || index > hidden)
    return html`
      <article part="thread" tabindex="-1" aria-label=${say('threadOf', { name: nameOf(thread.from) })}>
        ${this.#quoteView()}
        <ol role="list">
          ${shown.map(
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

  #quoteView(): TemplateResult | typeof nothing {
    const { quote, say } = this
    if (quote === undefined) return nothing
    const shown = quote.length > QUOTE_SHOWN ? `${quote.slice(0, QUOTE_SHOWN).toWellFormed()}…` : quote
    return html`<blockquote part="quote" dir="auto"><span>${shown}</span></blockquote>${
      this.isFound
        ? html`<button part="button" class="plain show" @click=${() => this.dispatchEvent(new CustomEvent('thread-show'))}>${say('showInText')}</button>`
        : html`<p class="muted" part="orphaned">${say('orphaned')}</p>`
    }`
  }

  #commentView(comment: Comment): TemplateResult {
    const { say, locale, store } = this
    const { commentId } = comment
    if (this.editing === commentId) return this.#editView(comment)
    const isOwn = store.canWrite && comment.from.userId === store.user?.userId
    const isWhole = this.whole.has(commentId)
    const showWhole = () => {
      this.whole = new Set([...this.whole, commentId])
    }
    return html`${commentView({ comment, say, locale, me: store.user, isWhole, showWhole })}
      ${
        this.deleting === commentId
          ? html`<div class="row"><span>${say(this.thread.comments.length === 1 ? 'deleteThread' : 'deleteComment')}</span>
              <button part="button" id="confirm" @click=${() => this.#remove(comment)}>${say('delete')}</button>
              <button part="button" class="plain" @click=${() => this.#close('article')}>${say('cancel')}</button></div>`
          : isOwn
            ? html`<div class="row own">
                <button part="button" class="plain" @click=${() => {
                  this.editing = commentId
                  void this.#open('#edit')
                }}>${say('edit')}</button>
                <button part="button" class="plain" @click=${() => {
                  this.deleting = commentId
                  void this.#open('#confirm')
                }}>${say('delete')}</button></div>`
            : nothing
      }`
  }

  #editView(comment: Comment): TemplateResult {
    const { annotationId } = this.thread
    const ids = { annotationId, commentId: comment.commentId }
    return html`<commonhold-composer id="edit" exportparts="composer, textarea, button, main-button, people, error"
      .say=${this.say} .label=${this.say('edit')} .submitLabel=${this.say('save')} .find=${this.find} .canCancel=${true}
      .send=${(written: Written) => this.store.edit(written, ids)}
      .initial=${toWritten(textOf(comment), comment.taggedUserContacts)}
      @composer-cancel=${() => this.#close('article')}
      @composer-done=${() => {
        this.done(this.say('savedNow'), this)
        void this.#close('article')
      }}></commonhold-composer>`
  }

  #footView(): TemplateResult | typeof nothing {
    const { thread, store, say } = this
    const resolved = isResolved(thread)
    const by = thread.resolvedByUser ?? (thread.resolvedByUserId ? { userId: thread.resolvedByUserId } : undefined)
    return html`
      ${resolved && by !== undefined ? html`<p class="muted">${say('resolvedBy', { name: `\u2068${nameOf(by)}\u2069` })}</p>` : nothing}
      ${
        this.isReplying
          ? html`<commonhold-composer id="reply" exportparts="composer, textarea, button, main-button, people, error"
              .say=${say} .label=${say('reply')} .placeholder=${say('replyPlaceholder')} .submitLabel=${say('reply')}
              .find=${this.find} .canCancel=${true}
              .send=${(written: Written, key: string) => store.reply(written, key, thread)}
              @composer-cancel=${() => this.#close('.answer')}
              @composer-done=${() => {
                this.done(say('added'), this)
                void this.#close('.answer')
              }}></commonhold-composer>`
          : html`<div class="row">
              ${
                store.canWrite
                  ? html`<button part="button" class="answer" @click=${() => {
                      this.isReplying = true
                      void this.#open('#reply')
                    }}>${say('reply')}</button>`
                  : nothing
              }
              ${
                store.mayResolve(thread)
                  ? html`<button part="button" class="resolve" @click=${this.#toggleResolved}>${say(resolved ? 'reopen' : 'resolve')}</button>`
                  : nothing
              }</div>`
      }`
  }

  static override styles = [shared, threadStyles]
}
