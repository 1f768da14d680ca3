/** A combobox that finds people and groups: the first match is highlighted, arrow keys choose, Enter takes it. */
import { html, LitElement, nothing, type PropertyDeclarations, type PropertyValues } from 'lit'
import { idOf, saySharingError, type Target, targetName } from '../connection/sharing.ts'
import { shared } from '../styles/shared.ts'
import { pickerStyles } from '../styles/sharing.ts'
import type { Say } from '../words/texts.ts'

const SEARCH_DELAY_MS = 150
const OPTIONS_MAX = 8

export class CommonholdPicker extends LitElement {
  static override properties: PropertyDeclarations = {
    say: { attribute: false },
    find: { attribute: false },
    disabled: { type: Boolean },
    options: { state: true },
    active: { state: true },
    hint: { state: true },
  }
  declare say: Say
  /** Finds by the beginnings of words. */
  declare find: (text: string) => Promise<Target[]>
  declare disabled: boolean
  declare private options: Target[]
  declare private active: number
  declare private hint: string
  #searches = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Enter was pressed before the search for what is typed has returned: it takes the first match then. */
  #takesFirst = false

  constructor() {
    super()
    this.disabled = false
    this.options = []
    this.active = 0
    this.hint = ''
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
    this.#close()
    if (text !== '') this.#timer = setTimeout(() => void this.#search(text), SEARCH_DELAY_MS)
  }

  async #search(text: string): Promise<void> {
    const search = ++this.#searches
    try {
      const found = await this.find(text)
      if (search !== this.#searches) return
      this.options = found.slice(0, OPTIONS_MAX)
      this.active = 0
      const count = this.options.length
      this.hint = count > 0 ? this.say('targets', { count }) : this.say('noTarget')
      const [first] = this.options
      if (this.#takesFirst && first !== undefined) this.#choose(first)
    } catch (error) {
      if (search !== this.#searches) return
      this.hint = saySharingError(error, this.say)
    }
    this.#takesFirst = false
  }

  #close(): void {
    clearTimeout(this.#timer)
    this.#takesFirst = false
    this.#searches++
    this.options = []
    this.hint = ''
  }

  #choose(target: Target): void {
    this.#close()
    this.#field.value = ''
    this.dispatchEvent(new CustomEvent('picked', { detail: target }))
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return
    const count = this.options.length
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const target = this.options[this.active]
    if (event.key === 'Enter') {
      if (target !== undefined) this.#choose(target)
      else this.#takesFirst = this.#field.value.trim() !== ''
    } else if (count === 0) return
    else if (step !== undefined) this.active = (this.active + step + count) % count
    else if (event.key === 'Escape') this.#close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('active'))
      this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }

  protected override render() {
    const { say, options, active, hint } = this
    const isOpen = options.length > 0
    return html`
      <label for="field">${say('addPeople')}</label>
      <input id="field" part="picker" role="combobox" autocomplete="off" dir="auto" aria-autocomplete="list" aria-haspopup="listbox"
        aria-expanded=${isOpen} aria-controls=${isOpen ? 'options' : nothing} aria-describedby="hint"
        aria-activedescendant=${isOpen ? `option-${active}` : nothing}
        ?disabled=${this.disabled} @input=${this.#onInput} @keydown=${this.#onKey} @blur=${this.#close}>
      ${
        isOpen
          ? html`<div id="options" part="people" role="listbox" aria-label=${say('addPeople')}>
              ${options.map(
                (target, index) => html`<div id="option-${index}" role="option" aria-selected=${index === active}
                  @mousedown=${(event: Event) => event.preventDefault()} @click=${() => this.#choose(target)}>
                  <bdi>${targetName(target)}</bdi> <bdi class="muted">${detailOf(target, say)}</bdi></div>`,
              )}</div>`
          : nothing
      }
      <p id="hint" class="muted" role="status">${hint || say('addPeopleHint')}</p>`
  }

  static override styles = [shared, pickerStyles]
}

/** Returns what tells two of the same name apart. */
const detailOf = (target: Target, say: Say): string =>
  target.groupId === undefined ? (target.name ? (target.userId ?? '') : '') : say('isGroup')

/** Whether two are the same. */
export const isSame = (one: Target, other: Target): boolean => idOf(one) === idOf(other)
