/** `<commonhold-share>`: a button, and the dialog in which an editor shares a document with people and groups. */
import { html, nothing, type TemplateResult } from 'lit'
import { type Role, type Sharing, type Target, targetName, type Wish } from '../connection/sharing.ts'
import { sayEnd } from '../words/changes.ts'
import { type CommonholdPicker, isSame } from './picker.ts'
import { SharingDialog } from './sharing-dialog.ts'

const DAY_SECONDS = 86_400
const DAYS = [1, 7, 30, 90]
/** The end of the own access. */
const OWN = 'own'

export class CommonholdShare extends SharingDialog {
  protected readonly label = 'share'
  protected readonly heading = 'shareTitle'
  #chosen: Target[] = []
  #role: Role = 'viewer'
  /** `''`: never, a number of days, or `OWN`. */
  #end = ''

  protected override get wishes(): Wish[] {
    const expiresAt = this.#expiresAt()
    return this.#chosen.map((target) => ({ target, accessRole: this.#role, expiresAt }))
  }

  #expiresAt(): number | undefined {
    const own = this.store?.sharing?.user.expiresAt
    if (this.#end === OWN || (this.#end === '' && own !== undefined)) return own
    return this.#end === '' ? undefined : Math.floor(Date.now() / 1_000) + Number(this.#end) * DAY_SECONDS
  }

  protected override clear(): void {
    this.#chosen = []
    this.#role = 'viewer'
    this.#end = ''
  }

  protected override focusFirst(): void {
    void this.renderRoot.querySelector<CommonholdPicker>('commonhold-picker')?.focus()
  }

  #add(target: Target): void {
    if (!this.#chosen.some((other) => isSame(other, target))) this.#chosen = [...this.#chosen, target]
    this.changed()
  }

  #takeOut(target: Target): void {
    this.#chosen = this.#chosen.filter((other) => !isSame(other, target))
    this.changed()
    this.focusFirst()
  }

  protected override contents(sharing: Sharing): TemplateResult {
    const { say } = this
    const { canShare, accessRoles, everyone, everyoneRole = 'viewer', isComplete } = sharing
    if (!canShare) return html`<p>${say('needsEditor')}</p>`
    return html`
      ${everyone ? html`<p class="note">${say('everyone', { role: say(everyoneRole) })}</p>` : nothing}
      ${isComplete ? nothing : html`<p class="note">${say('notComplete')}</p>`}
      <commonhold-picker exportparts="picker, people" ?disabled=${this.isApplying} .say=${say} .find=${(text: string) => this.store?.find(text) ?? Promise.resolve([])}
        @picked=${({ detail }: CustomEvent<Target>) => this.#add(detail)}></commonhold-picker>
      <div class="chosen">${this.#chosen.map(
        (target) => html`<button part="button" type="button" aria-label=${say('takeOut', { name: targetName(target) })}
          @click=${() => this.#takeOut(target)}><bdi>${targetName(target)}</bdi> <span aria-hidden="true">×</span></button>`,
      )}</div>
      <div class="fields">
        <div><label for="role">${say('role')}</label>
          <select id="role" @change=${({ target }: Event) => {
            this.#role = (target as HTMLSelectElement).value as Role
            this.changed()
          }}>${accessRoles.map((role) => html`<option value=${role} .selected=${role === this.#role}>${say(role)}</option>`)}</select></div>
        <div><label for="end">${say('until')}</label>
          <select id="end" @change=${({ target }: Event) => {
            this.#end = (target as HTMLSelectElement).value
            this.changed()
          }}>${this.#ends(sharing)}</select></div>
      </div>
      ${this.#chosen.length === 0 ? html`<p class="muted">${say('choose')}</p>` : nothing}`
  }

  /** The ends that can be given: none is later than that of the own access. */
  #ends({ user: { expiresAt: own } }: Sharing): TemplateResult[] {
    const { say, locale } = this
    const option = (value: string, text: string) =>
      html`<option value=${value} .selected=${value === this.#end}>${text}</option>`
    const now = Date.now() / 1_000
    const days = DAYS.filter((count) => own === undefined || now + count * DAY_SECONDS < own)
    const last =
      own === undefined ? option('', say('never')) : option(OWN, say('likeMine', { when: sayEnd(own, locale) }))
    return [last, ...days.map((count) => option(String(count), say('inDays', { count })))]
  }
}
