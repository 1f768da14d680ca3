/** Shows the composer in a thread or above the threads; the page can style its parts. */
import { html, type TemplateResult } from 'lit'
import type { Texts } from '../words/texts.ts'
import type { CommonholdComposer } from './composer.ts'

type Properties = Pick<CommonholdComposer, 'say' | 'find' | 'send' | 'draft'> &
  Partial<Pick<CommonholdComposer, 'initial'>>

interface ComposerView extends Properties {
  id: string
  label: keyof Texts
  placeholder?: keyof Texts
  submitLabel: keyof Texts
  cancel(): void
  done(): void
}

export function composerView({ id, say, find, send, draft, initial, ...view }: ComposerView): TemplateResult {
  const { label, placeholder, submitLabel, cancel, done } = view
  return html`<commonhold-composer id=${id} exportparts="composer, textarea, button, main-button, people, error"
    .say=${say} .label=${say(label)} .placeholder=${placeholder === undefined ? '' : say(placeholder)} .submitLabel=${say(submitLabel)}
    .find=${find} .send=${send} .draft=${draft} .initial=${initial} .canCancel=${true} @composer-cancel=${cancel} @composer-done=${done}></commonhold-composer>`
}
