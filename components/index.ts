/** Defines the elements of the package, and exports the functions that set them up. */
import { CommonholdAccess } from './elements/access.ts'
import { CommonholdComments } from './elements/comments.ts'
import { CommonholdComposer } from './elements/composer.ts'
import { CommonholdInbox } from './elements/inbox.ts'
import { CommonholdPicker } from './elements/picker.ts'
import { CommonholdShare } from './elements/share.ts'
import { CommonholdThread } from './elements/thread.ts'

export { configure, type Options } from './connection/options.ts'
export type { Person } from './connection/records.ts'
export type * from './elements.ts'
export type { OtherTexts, Texts } from './words/texts.ts'
export { ENGLISH } from './words/texts.ts'

/** Servers have no elements. Loading the file twice in a browser is harmless: the first definitions stay. */
const ELEMENTS = {
  'commonhold-composer': CommonholdComposer,
  'commonhold-thread': CommonholdThread,
  'commonhold-comments': CommonholdComments,
  'commonhold-inbox': CommonholdInbox,
  'commonhold-picker': CommonholdPicker,
  'commonhold-share': CommonholdShare,
  'commonhold-access': CommonholdAccess,
}
const { customElements: registry } = globalThis as { customElements?: CustomElementRegistry }
for (const [name, element] of Object.entries(ELEMENTS))
  if (registry?.get(name) === undefined) registry?.define(name, element)
