/**
 * The list of options below a field in which somebody searches (the pattern “combobox” of the WAI): the first is active, arrow
 * keys choose another, Enter takes it. Enter pressed before the options of the typed text have arrived waits for them.
 */
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit'

const SEARCH_DELAY_MS = 150
const OPTIONS_MAX = 8

type Host = ReactiveControllerHost & { renderRoot: ParentNode }

interface Source<Option> {
  find(query: string): Promise<Option[]>
  choose(option: Option): void
  /** Says what a search has found. */
  sayFound(count: number, query: string): string
  sayFailed(error: unknown): string
  /** In a text of several lines, Tab takes an option too, and Enter without options breaks the line. */
  isMultiline: boolean
}

export class Suggestions<Option> implements ReactiveController {
  /** The state of the search, for screen readers. */
  hint = ''
  #options: readonly Option[] = []
  #active = 0
  #searches = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #isPending = false
  /** Enter was pressed while the search is pending: it takes the first option. */
  #takesFirst = false
  readonly #host: Host
  readonly #source: Source<Option>

  constructor(host: Host, source: Source<Option>) {
    this.#host = host
    this.#source = source
    host.addController(this)
  }

  hostDisconnected(): void {
    this.close()
  }

  get isOpen(): boolean {
    return this.#options.length > 0
  }

  /** The values of the attributes of the field that name the list and its active option. */
  get listId(): string | typeof nothing {
    return this.isOpen ? 'options' : nothing
  }

  get activeId(): string | typeof nothing {
    return this.isOpen ? `option-${this.#active}` : nothing
  }

  /** Searches when nothing more is typed for a moment. */
  search(query: string): void {
    clearTimeout(this.#timer)
    this.#searches++
    this.#takesFirst = false
    this.#isPending = true
    this.#timer = setTimeout(() => void this.#search(query), SEARCH_DELAY_MS)
  }

  async #search(query: string): Promise<void> {
    const search = this.#searches
    let options: Option[] = []
    let hint: string
    try {
      options = (await this.#source.find(query)).slice(0, OPTIONS_MAX)
      hint = this.#source.sayFound(options.length, query)
    } catch (error) {
      hint = this.#source.sayFailed(error)
    }
    if (search !== this.#searches) return
    this.#options = options
    this.#active = 0
    this.#isPending = false
    this.hint = hint
    const [first] = options
    if (this.#takesFirst && first !== undefined) this.#choose(first)
    this.#takesFirst = false
    this.#host.requestUpdate()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#searches++
    this.#options = []
    this.#isPending = false
    this.#takesFirst = false
    this.hint = ''
    this.#host.requestUpdate()
  }

  #choose(option: Option): void {
    this.close()
    this.#source.choose(option)
  }

  onKey(event: KeyboardEvent): void {
    const { isMultiline } = this.#source
    const count = this.#options.length
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const takes = event.key === 'Enter' || (isMultiline && event.key === 'Tab')
    if (takes && (this.isOpen || (this.#isPending && !isMultiline))) this.#take()
    else if (!this.isOpen) return
    else if (step !== undefined) void this.#activate((this.#active + step + count) % count)
    else if (event.key === 'Escape') this.close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  async #activate(index: number): Promise<void> {
    this.#active = index
    this.#host.requestUpdate()
    await this.#host.updateComplete
    this.#host.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }

  #take(): void {
    const option = this.#options[this.#active]
    if (this.#isPending) this.#takesFirst = true
    else if (option !== undefined) this.#choose(option)
  }

  view(label: string, optionView: (option: Option) => TemplateResult): TemplateResult | typeof nothing {
    if (!this.isOpen) return nothing
    return html`<div id="options" part="people" role="listbox" aria-label=${label}>
      ${this.#options.map(
        (option, index) => html`<div id="option-${index}" role="option" aria-selected=${index === this.#active}
          @mousedown=${(event: Event) => event.preventDefault()} @click=${() => this.#choose(option)}>${optionView(option)}</div>`,
      )}</div>`
  }
}
