/** A button beside what is selected in the text, for those who point. With the keyboard there is the one above the threads. */
import { html, nothing, type TemplateResult } from 'lit'
import { ref } from 'lit/directives/ref.js'

const GAP = 6

/** Shows the button below the end of the selection. */
export function selectionButton(
  selected: Range | undefined,
  label: string,
  press: (selected: Range) => void,
): TemplateResult | typeof nothing {
  const lines = selected?.getClientRects()
  const end = lines?.[lines.length - 1]
  if (selected === undefined || end === undefined) return nothing
  const place = (element: Element | undefined) => {
    if (!(element instanceof HTMLElement)) return
    const left = Math.min(Math.max(end.left + end.width / 2, GAP), innerWidth - element.offsetWidth - GAP)
    element.style.left = `${left}px`
    element.style.top = `${end.bottom + GAP}px`
  }
  // It is no stop for the keyboard: it would come long after the text, and does what the other button does.
  return html`<button part="button selection-button" class="main selection" tabindex="-1" aria-hidden="true" ${ref(place)}
    @mousedown=${(event: Event) => event.preventDefault()} @click=${() => press(selected)}>${label}</button>`
}
