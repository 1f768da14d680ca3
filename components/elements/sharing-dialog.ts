/** The base of the sharing dialogs: a button that opens the dialog, the preview of the change, and the button that applies it. */
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import type { Connection } from '../connection/connection.ts'
import type { Follower } from '../connection/live.ts'
import { type Sharing, saySharingError, type Wish } from '../connection/sharing.ts'
import { PlannedChange } from '../store/planned-change.ts'
import { SharingStore } from '../store/sharing.ts'
import { scheme, shared } from '../styles/shared.ts'
import { sharingStyles } from '../styles/sharing.ts'
import { sayPreview } from '../words/changes.ts'
import type { Texts } from '../words/texts.ts'
import { ConnectedElement } from './base.ts'

const PREVIEW_DELAY_MS = 200

export abstract class SharingDialog extends ConnectedElement {
  static override properties: PropertyDeclarations = {
    ...ConnectedElement.properties,
    documentId: { attribute: 'document-id' },
  }
  declare documentId: string | undefined
  protected store: SharingStore | undefined
  #plan: PlannedChange | undefined
  #said = ''
  #timer: ReturnType<typeof setTimeout> | undefined

  protected abstract readonly label: keyof Texts
  protected abstract readonly heading: keyof Texts
  /** What is chosen now. */
  protected abstract readonly wishes: Wish[]
  protected abstract contents(sharing: Sharing): TemplateResult
  /** Clears the choice. */
  protected abstract clear(): void
  protected abstract focusFirst(): void

  /** Nothing that was chosen for another document, server or user is kept. */
  protected override start(connection: Connection | undefined): void {
    const { organizationId, documentId } = this
    const isKnown = connection !== undefined && organizationId && documentId
    this.store = isKnown ? new SharingStore(connection, { organizationId, documentId }) : undefined
    this.#forget()
    void this.#readAndFocus()
  }

  /** Its changes name the user who chose them, so the server refuses those of another, and the dialog says so. */
  protected override readonly becomeOther = undefined

  protected override identity(): string {
    return `${super.identity()} ${JSON.stringify(this.documentId)}`
  }

  /** The live stream does not report who has access. */
  protected override get follower(): Follower | undefined {
    return undefined
  }

  protected override showAgain(): void {
    this.requestUpdate()
  }

  /** Several pages may be longer meanwhile, which would move what somebody reads. */
  protected override poll(): void {
    if (this.store?.hasOnePage) void this.refresh()
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog')
  }

  protected get isApplying(): boolean {
    return this.#plan?.isApplying === true
  }

  async show(): Promise<void> {
    if (this.#dialog?.open) return
    this.#dialog?.showModal()
    await this.#readAndFocus()
  }

  async #readAndFocus(): Promise<void> {
    await this.refresh()
    if (this.#dialog?.open) this.focusFirst()
  }

  /** Reads again who has access, while the dialog is open and nothing is chosen. */
  override async refresh(): Promise<void> {
    if (this.#dialog?.open && this.#plan === undefined) await this.read((store) => store.load())
  }

  protected async read(act: (store: SharingStore) => Promise<void>): Promise<void> {
    if (this.store !== undefined) await act(this.store)
    this.requestUpdate()
  }

  /** Plans what is chosen now, and previews it. */
  protected changed(): void {
    clearTimeout(this.#timer)
    const { store, wishes } = this
    const plan = store && wishes.length > 0 ? new PlannedChange(store, wishes) : undefined
    this.#plan = plan
    this.#said = ''
    if (plan !== undefined) this.#timer = setTimeout(() => void this.#preview(plan), PREVIEW_DELAY_MS)
    this.requestUpdate()
  }

  #forget(): void {
    this.clear()
    this.changed()
  }

  /** The data may be out of date when the dialog is opened again. */
  #onClose(): void {
    this.store?.forget()
    this.#forget()
  }

  async #preview(plan: PlannedChange): Promise<void> {
    await plan.preview()
    this.requestUpdate()
  }

  async #apply(plan: PlannedChange): Promise<void> {
    const applying = plan.apply()
    this.requestUpdate()
    const made = await applying
    this.requestUpdate()
    if (made === undefined) return
    const detail = { changes: made.changes }
    this.dispatchEvent(new CustomEvent('commonhold-shared', { detail, bubbles: true, composed: true }))
    // Closed, or about another document, meanwhile.
    if (plan !== this.#plan) return void this.refresh()
    this.#forget()
    this.#said = this.say('applied')
    if (made.user.canShare) await this.#readAndFocus()
    else this.#dialog?.close()
  }

  #tryAgain(plan: PlannedChange | undefined): Promise<void> {
    if (plan?.error === undefined) return this.read((store) => store.load())
    return plan.isUncertain ? this.#apply(plan) : this.#preview(plan)
  }

  protected override render() {
    const { say } = this
    const plan = this.#plan
    const error = plan?.error ?? this.store?.error
    return html`
      <button part="button open-button" id="open" aria-haspopup="dialog" @click=${() => this.show()}>${say(this.label)}</button>
      <dialog part="dialog" aria-labelledby="title" @close=${this.#onClose}>
        <div class="row top"><h2 id="title" part="title">${say(this.heading)}</h2>
          <button part="button" type="button" @click=${() => this.#dialog?.close()}>${say('close')}</button></div>
        ${this.#contentsView()}
        ${plan === undefined || !this.store?.sharing?.canShare ? nothing : this.#previewView(plan)}
        <div class="hidden" role="status">${this.#said}</div>
        ${
          error === undefined
            ? nothing
            : html`<div class="error" part="error" role="alert"><p>${saySharingError(error, say)}</p>
                <button part="button" type="button" @click=${() => this.#tryAgain(plan)}>${say('tryAgain')}</button></div>`
        }
      </dialog>`
  }

  #contentsView(): TemplateResult | typeof nothing {
    const { store, say } = this
    if (store?.sharing !== undefined)
      return html`<fieldset ?disabled=${this.isApplying}>${this.contents(store.sharing)}</fieldset>`
    if (store?.error !== undefined) return nothing
    return html`<p class="muted">${say(store === undefined ? 'notSetUp' : 'accessLoading')}</p>`
  }

  #previewView(plan: PlannedChange): TemplateResult {
    const { say, locale } = this
    const { outcome, isApplying } = plan
    return html`
      <h3 id="preview-title">${say('preview')}</h3>
      <div part="preview" role="status" aria-labelledby="preview-title">${
        outcome === undefined
          ? nothing
          : html`<ul>${sayPreview(outcome, plan.wishes, say, locale).map((text) => html`<li><bdi>${text}</bdi></li>`)}</ul>
              ${outcome.user.canShare ? nothing : html`<p class="error">${say('ownLoss')}</p>`}`
      }</div>
      <div class="row last"><button part="button main-button" class="main" type="button" aria-disabled=${outcome === undefined || isApplying}
        @click=${() => this.#apply(plan)}>${say(isApplying ? 'applying' : this.label === 'share' ? 'share' : 'apply')}</button></div>`
  }

  static override styles = [shared, scheme, sharingStyles]
}
