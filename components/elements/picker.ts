/** A combobox that finds people and groups. */
import { html, LitElement, type PropertyDeclarations } from 'lit'
import { idOf, saySharingError, type Target, targetName } from '../connection/sharing.ts'
import { shared } from '../styles/shared.ts'
import { pickerStyles } from '../styles/sharing.ts'
import { suggestionStyles } from '../styles/suggestions.ts'
import type { Say } from '../words/texts.ts'
import { Suggestions } from './suggestions.ts'

export class CommonholdPicker extends LitElement {
  static override properties: PropertyDeclarations = {
    say: { attribute: false },
    find: { attribute: false },
    disabled: { type: Boolean },
  }
  declare say: Say
  /** Finds by the beginnings of words. */
  declare find: (text: string) => Promise<Target[]>
  declare disabled: boolean
  readonly #targets = new Suggestions<Target>(this, {
    find: (text) => this.find(text),
    choose: (target) => this.#pick(target),
    sayFound: (count) => (count > 0 ? this.say('targets', { count }) : this.say('noTarget')),
    sayFailed: (error) => saySharingError(error, this.say),
    isMultiline: false,
  })

  constructor() {
    super()
    this.disabled = false
  }

  get #field(): HTMLInputElement {
    return this.renderRoot.querySelector('input') as HTMLInputElement
  }

  override async focus(): Promise<void> {
    await this.updateComplete
    this.#field.focus()
  }

  #onInput(): void {
    const text = this.#field.value.trim()
    if (text === '') this.#targets.close()
    else this.#targets.search(text)
  }

  #pick(target: Target): void {
    this.#field.value = ''
    this.dispatchEvent(new CustomEvent('picked', { detail: target }))
  }

  #onKey(event: KeyboardEvent): void {
    if (!event.isComposing) this.#targets.onKey(event)
  }

  protected override render() {
    const { say } = this
    const targets = this.#targets
    return html`
      <label for="field">${say('addPeople')}</label>
      <input id="field" part="picker" role="combobox" autocomplete="off" dir="auto" aria-autocomplete="list" aria-haspopup="listbox"
        aria-expanded=${targets.isOpen} aria-controls=${targets.listId} aria-describedby="hint" aria-activedescendant=${targets.activeId}
        ?disabled=${this.disabled} @input=${this.#onInput} @keydown=${this.#onKey} @blur=${() => targets.close()}>
      ${targets.view(
        say('addPeople'),
        (target) => html`<bdi>${targetName(target)}</bdi> <bdi class="muted">${detailOf(target, say)}</bdi>`,
      )}
      <p id="hint" class="muted" role="status">${targets.hint || say('addPeopleHint')}</p>`
  }

  static override styles = [shared, suggestionStyles, pickerStyles]
}

/** Returns a text that distinguishes two entries of the same name. */
const detailOf = (target: Target, say: Say): string =>
  target.groupId === undefined ? (target.name ? (target.userId ?? '') : '') : say('isGroup')

/** Whether two are the same. */
export const isSame = (one: Target, other: Target): boolean => idOf(one) === idOf(other)
