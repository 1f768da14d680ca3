/**
 * The field in which a user writes a comment: `@` finds people, a button or Ctrl+Enter sends the text, and the text is
 * kept when sending fails and when the page is loaded again.
 */
import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { isKept, newKey } from '../connection/attempts.ts'
import { CallError, sayError } from '../connection/call-error.ts'
import { nameOf, type Person } from '../connection/records.ts'
import type { Draft } from '../store/drafts.ts'
import type { Written } from '../store/thread-changes.ts'
import { composerStyles } from '../styles/composer.ts'
import { shared } from '../styles/shared.ts'
import { suggestionStyles } from '../styles/suggestions.ts'
import { type Chosen, labelFor, toStored } from '../words/mentions.ts'
import type { Say } from '../words/texts.ts'
import { Suggestions } from './suggestions.ts'

const TEXT_LENGTH_MAX = 32 * 1024
/** The text after an `@` at the beginning of a word: up to three words of a name. */
const QUERY = /(?:^|[\s(])@([^\s@]{0,60}(?: [^\s@]{1,60}){0,2})$/u

export class CommonholdComposer extends LitElement {
  static override properties: PropertyDeclarations = {
    say: { attribute: false },
    label: {},
    placeholder: {},
    submitLabel: { attribute: false },
    find: { attribute: false },
    send: { attribute: false },
    canCancel: { attribute: false },
    initial: { attribute: false },
    isSending: { state: true },
    error: { state: true },
  }
  declare say: Say
  declare label: string
  declare placeholder: string
  declare submitLabel: string
  declare find: (query: string) => Promise<Person[]>
  /** Sends the text, with the same `Idempotency-Key` for each attempt to send the same text. */
  declare send: (written: Written, key: string) => Promise<void>
  declare canCancel: boolean
  /** Keeps the text over a reload; another object may stand for the same draft. */
  declare draft: Draft
  /** The present text, to be edited. */
  declare initial: { text: string; chosen: Chosen } | undefined
  declare private isSending: boolean
  declare private error: string
  #chosen: Chosen = new Map()
  #attempt = { text: '', key: '' }
  readonly #people = new Suggestions<Person>(this, {
    find: (query) => this.find(query),
    choose: (person) => this.#mention(person),
    sayFound: (count, query) =>
      count > 0 ? this.say('found', { count }) : query.includes(' ') ? '' : this.say('noOne'),
    sayFailed: () => '',
    isMultiline: true,
  })

  constructor() {
    super()
    this.isSending = false
    this.error = ''
    this.label = ''
    this.placeholder = ''
    this.canCancel = false
  }

  get #field(): HTMLTextAreaElement {
    return this.renderRoot.querySelector('textarea') as HTMLTextAreaElement
  }

  override async focus(): Promise<void> {
    await this.updateComplete
    this.#field.focus()
  }

  protected override firstUpdated(): void {
    const kept = this.draft.read()
    this.#field.value = kept?.text ?? this.initial?.text ?? ''
    this.#chosen = kept === undefined ? (this.initial?.chosen ?? new Map()) : new Map(kept.chosen)
    this.#attempt = kept?.attempt ?? this.#attempt
  }

  #keep(): void {
    this.draft.write({ text: this.#field.value, chosen: [...this.#chosen], attempt: this.#attempt })
  }

  #cancel(): void {
    this.draft.clear()
    this.dispatchEvent(new CustomEvent('composer-cancel'))
  }

  #write(): void {
    this.error = ''
    this.#keep()
    const query = this.#query()
    if (query === undefined) this.#people.close()
    else this.#people.search(query)
  }

  /** Returns what is typed after an `@` before the caret. */
  #query(): string | undefined {
    const { value, selectionStart, selectionEnd } = this.#field
    return selectionStart === selectionEnd ? QUERY.exec(value.slice(0, selectionStart))?.[1] : undefined
  }

  #mention(person: Person): void {
    const field = this.#field
    const query = this.#query()
    if (query === undefined) return
    const at = field.selectionStart - query.length
    field.setRangeText(`${labelFor(person, this.#chosen)} `, at, field.selectionStart, 'end')
    this.#keep()
    field.focus()
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void this.#submit()
    } else this.#people.onKey(event)
  }

  #onSubmit(event: Event): void {
    event.preventDefault()
    void this.#submit()
  }

  async #submit(): Promise<void> {
    const written = toStored(this.#field.value.trim(), this.#chosen)
    if (this.isSending || written.commentText === '') return this.#field.focus()
    if (written.commentText.length > TEXT_LENGTH_MAX) {
      this.error = this.say('tooLong', { count: TEXT_LENGTH_MAX })
      return
    }
    this.#people.close()
    const text = written.commentText
    if (this.#attempt.text !== text) this.#attempt = { text, key: newKey() }
    this.#keep() // the page may be loaded again before the server has responded
    this.isSending = true
    this.error = ''
    try {
      await this.send(written, this.#attempt.key)
      this.#field.value = ''
      this.#chosen = new Map()
      this.#attempt = { text: '', key: '' }
      this.draft.clear()
      this.dispatchEvent(new CustomEvent('composer-done'))
    } catch (error) {
      if (isKept(error)) this.#attempt = { text: '', key: '' }
      const isSignedOut = error instanceof CallError && error.status === 'UNAUTHENTICATED'
      this.error = isSignedOut ? this.say('signedOutWriting') : sayError(error, this.say)
    }
    this.isSending = false
  }

  protected override render() {
    const { say, isSending, error } = this
    const people = this.#people
    return html`
      <form part="composer" @submit=${this.#onSubmit}>
        <textarea part="textarea" rows="3" dir="auto" aria-label=${this.label} placeholder=${this.placeholder}
          aria-autocomplete="list" aria-haspopup="listbox" aria-controls=${people.listId}
          aria-activedescendant=${people.activeId} aria-invalid=${error === '' ? nothing : 'true'}
          aria-describedby=${error === '' ? nothing : 'error'} ?readonly=${isSending}
          @input=${this.#write} @click=${this.#write} @keydown=${this.#onKey} @blur=${() => people.close()}></textarea>
        ${people.view(say('people'), personView)}
        <div class=${people.isOpen ? 'hidden' : 'muted'} role="status">${people.hint}</div>
        ${error === '' ? nothing : html`<p id="error" class="error" part="error" role="alert">${error}</p>`}
        <div class="row">
          <button part="button main-button" class="main" type="submit" aria-disabled=${isSending}>
            ${isSending ? say('posting') : error === '' ? this.submitLabel : say('tryAgain')}</button>
          ${
            this.canCancel
              ? html`<button part="button" class="plain" type="button"
                @click=${this.#cancel}>${say('cancel')}</button>`
              : nothing
          }
        </div>
      </form>`
  }

  static override styles = [shared, suggestionStyles, composerStyles]
}

/** A person to mention, with a text that distinguishes two people of the same name. */
const personView = (person: Person): TemplateResult =>
  html`<bdi>${nameOf(person)}</bdi>${
    nameOf(person) === person.name && person.name !== person.userId
      ? html` <bdi class="muted">${person.email ?? person.userId}</bdi>`
      : nothing
  }`
