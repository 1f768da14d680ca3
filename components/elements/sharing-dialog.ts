/** What the dialogs of sharing have in common: a button that opens them, the preview of what is wished, and the button that applies it. */
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import type { Connection } from '../connection/connection.ts'
import type { Follower } from '../connection/live.ts'
import { idOf, type Outcome, type Sharing, saySharingError, type Target, type Wish } from '../connection/sharing.ts'
import { SharingStore } from '../store/sharing.ts'
import { scheme, shared } from '../styles/shared.ts'
import { sharingStyles } from '../styles/sharing.ts'
import { sayChanges } from '../words/changes.ts'
import type { Texts } from '../words/texts.ts'
import { ConnectedElement } from './base.ts'

const PREVIEW_DELAY_MS = 200

export abstract class SharingDialog extends ConnectedElement {
  static override properties: PropertyDeclarations = {
    ...ConnectedElement.properties,
    documentId: { attribute: 'document-id' },
    version: { state: true },
  }
  declare documentId: string | undefined
  declare protected version: number
  protected store: SharingStore | undefined
  #error: unknown
  #outcome: Outcome | undefined
  #said = ''
  #isApplying = false
  #previews = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #key = ''

  protected abstract readonly label: keyof Texts
  protected abstract readonly title_: keyof Texts
  protected abstract readonly wishes: Wish[]
  /** Names those whom a change is about. */
  protected abstract readonly targets: readonly Target[]
  protected abstract contents(sharing: Sharing): TemplateResult
  /** Forgets what was chosen. */
  protected abstract clear(): void
  protected abstract focusFirst(): void

  constructor() {
    super()
    this.version = 0
  }

  protected override start(connection: Connection | undefined): void {
    const { organizationId, documentId } = this
    const isKnown = connection !== undefined && organizationId && documentId
    this.store = isKnown ? new SharingStore(connection, { organizationId, documentId }) : undefined
    if (this.#dialog?.open) void this.refresh()
  }

  protected override identity(): string {
    return `${super.identity()} ${this.documentId}`
  }

  /** Who has access is no part of the live stream. */
  protected override get follower(): Follower | undefined {
    return undefined
  }

  protected override showAgain(): void {
    this.version++
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog')
  }

  /** Opens the dialog. */
  async show(): Promise<void> {
    if (this.#dialog?.open) return
    this.#dialog?.showModal()
    await this.refresh()
    if (this.#dialog?.open) this.focusFirst()
  }

  /** Reads again who has access, while the dialog is open and nothing is chosen. */
  override async refresh(): Promise<void> {
    if (!this.#dialog?.open || this.wishes.length > 0) return
    await this.attempt(async () => this.store?.load())
  }

  /** Does something, and shows why it failed. */
  protected async attempt(act: () => Promise<unknown> | undefined): Promise<boolean> {
    let isDone = false
    try {
      await act()
      this.#error = undefined
      isDone = true
    } catch (error) {
      this.#error = error
    }
    this.version++
    return isDone
  }

  /** Previews what is wished now. */
  protected changed(): void {
    clearTimeout(this.#timer)
    this.#previews++
    this.#outcome = undefined
    this.#error = undefined
    this.#said = ''
    this.#key = newKey()
    if (this.wishes.length > 0) this.#timer = setTimeout(() => void this.#preview(), PREVIEW_DELAY_MS)
    this.version++
  }

  async #preview(): Promise<void> {
    const preview = this.#previews
    await this.attempt(async () => {
      const outcome = await this.store?.preview(this.wishes)
      if (preview === this.#previews) this.#outcome = outcome
    })
  }

  async #apply(): Promise<void> {
    const outcome = this.#outcome
    if (outcome === undefined || this.#isApplying) return
    this.#isApplying = true
    this.version++
    const isDone = await this.attempt(async () => {
      const made = await this.store?.apply(this.wishes, {
        key: this.#key,
        allowLosingOwnAccess: !outcome.user.canShare,
      })
      this.dispatchEvent(
        new CustomEvent('commonhold-shared', {
          detail: { changes: made?.changes ?? [] },
          bubbles: true,
          composed: true,
        }),
      )
    })
    this.#isApplying = false
    if (!isDone) return
    this.clear()
    this.changed()
    this.#said = this.say('applied')
    if (outcome.user.canShare) {
      await this.refresh()
      this.focusFirst()
    } else this.#dialog?.close()
  }

  #onClose(): void {
    this.clear()
    this.changed()
  }

  protected override render() {
    const { say } = this
    const sharing = this.store?.sharing
    return html`
      <button part="button open-button" id="open" aria-haspopup="dialog" @click=${() => this.show()}>${say(this.label)}</button>
      <dialog part="dialog" aria-labelledby="title" @close=${this.#onClose}>
        <div class="row top"><h2 id="title" part="title">${say(this.title_)}</h2>
          <button part="button" type="button" @click=${() => this.#dialog?.close()}>${say('close')}</button></div>
        ${
          sharing === undefined
            ? this.#error === undefined
              ? html`<p class="muted">${say('accessLoading')}</p>`
              : nothing
            : this.contents(sharing)
        }
        ${sharing?.canShare && this.wishes.length > 0 ? this.#previewView() : nothing}
        <div class="hidden" role="status">${this.#said}</div>
        ${
          this.#error === undefined
            ? nothing
            : html`<div class="error" part="error" role="alert"><p>${saySharingError(this.#error, say)}</p>
                <button part="button" type="button" @click=${() => (this.wishes.length > 0 ? this.#preview() : this.refresh())}>${say('tryAgain')}</button></div>`
        }
      </dialog>`
  }

  #previewView(): TemplateResult {
    const { say, locale } = this
    const outcome = this.#outcome
    const named = new Map(this.targets.map((target) => [idOf(target), target]))
    return html`
      <h3 id="preview-title">${say('preview')}</h3>
      <div part="preview" role="status" aria-labelledby="preview-title">${
        outcome === undefined
          ? nothing
          : html`<ul>${sayChanges(outcome.changes, named, say, locale).map((text) => html`<li><bdi>${text}</bdi></li>`)}</ul>
              ${outcome.user.canShare ? nothing : html`<p class="error">${say('ownLoss')}</p>`}`
      }</div>
      <div class="row last"><button part="button main-button" class="main" type="button" aria-disabled=${outcome === undefined || this.#isApplying}
        @click=${this.#apply}>${say(this.#isApplying ? 'applying' : this.label === 'share' ? 'share' : 'apply')}</button></div>`
  }

  static override styles = [shared, scheme, sharingStyles]
}

/** `crypto.randomUUID` is only on pages with HTTPS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
