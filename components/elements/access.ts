/** `<commonhold-access>`: a button, and the dialog that lists who has access to a document, in which an editor changes or removes it. */
import { html, nothing, type TemplateResult } from 'lit'
import { type Entry, idOf, type Role, type Sharing, sayVia, targetName, type Wish } from '../connection/sharing.ts'
import { sayAccess, sayEnd } from '../words/changes.ts'
import { SharingDialog } from './sharing-dialog.ts'

const REMOVED = 'removed'

export class CommonholdAccess extends SharingDialog {
  protected readonly label = 'accessTitle'
  protected readonly heading = 'accessTitle'
  /** The chosen roles, by the ids of the entries. */
  #chosen = new Map<string, Role | typeof REMOVED>()

  get #entries(): readonly Entry[] {
    return this.store?.sharing?.entries ?? []
  }

  protected override get wishes(): Wish[] {
    return this.#entries.flatMap((target) => {
      const chosen = this.#chosen.get(idOf(target))
      if (chosen === undefined) return []
      return [chosen === REMOVED ? { target, accessRole: undefined } : this.#wish(target, chosen)]
    })
  }

  /** Changes the role and keeps the end. A standing grant stays without one, and nothing lasts longer than the own access. */
  #wish(target: Entry, accessRole: Role): Wish {
    const ends = target.grants.map(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt)
    const end = Math.max(...ends)
    const own = this.store?.sharing?.user.expiresAt ?? Number.POSITIVE_INFINITY
    const earlier = Math.min(end, own)
    return { target, accessRole, isCapped: own < end, ...(Number.isFinite(earlier) && { expiresAt: earlier }) }
  }

  protected override clear(): void {
    this.#chosen = new Map()
  }

  protected override focusFirst(): void {
    this.renderRoot.querySelector<HTMLElement>('dialog')?.querySelector<HTMLElement>('select, button')?.focus()
  }

  #choose(entry: Entry, value: string): void {
    if (value === ownGrant(entry)?.accessRole) this.#chosen.delete(idOf(entry))
    else this.#chosen.set(idOf(entry), value as Role | typeof REMOVED)
    this.changed()
  }

  protected override contents(sharing: Sharing): TemplateResult {
    const { say } = this
    const { everyone, everyoneRole = 'viewer', isComplete, canShare, entries } = sharing
    return html`
      ${everyone ? html`<p class="note">${say('everyone', { role: say(everyoneRole) })}</p>` : nothing}
      ${isComplete ? nothing : html`<p class="note">${say('notComplete')}</p>`}
      ${canShare ? nothing : html`<p class="note">${say('onlyEditors')}</p>`}
      <ul class="entries" role="list">${entries.map((entry) => html`<li part="entry">${this.#entryView(entry, sharing)}</li>`)}</ul>
      ${
        this.store?.hasMore
          ? html`<button part="button" type="button" @click=${() => this.read((store) => store.more())}>${say('more')}</button>`
          : nothing
      }`
  }

  #entryView(entry: Entry, { user, canShare, accessRoles }: Sharing): TemplateResult {
    const { say, locale } = this
    const grant = ownGrant(entry)
    const isOwn = entry.userId === user.userId
    const name = targetName(entry)
    const via = entry.access === undefined ? '' : sayVia(entry.access.via ?? OWN_VIA, say)
    const end = grant?.expiresAt ?? entry.access?.expiresAt
    const details = [
      ...(entry.groupId === undefined ? [] : [say('isGroup')]),
      ...(isOwn ? [say('you')] : []),
      ...(via === '' ? [] : [via]),
      ...(end === undefined ? [] : [say('endsOn', { when: sayEnd(end, locale) })]),
    ]
    const access = entry.access ?? grant
    return html`
      <div><bdi>${name}</bdi> <span class="muted">${details.join(', ')}</span></div>
      ${
        canShare && grant !== undefined
          ? html`<select aria-label=${say('roleOf', { name })} @change=${({ target }: Event) => this.#choose(entry, (target as HTMLSelectElement).value)}>
              ${(isOwn ? [grant.accessRole] : accessRoles).map((role) => this.#option(entry, role, say(role)))}
              ${this.#option(entry, REMOVED, say(isOwn ? 'leave' : 'removeAccess'))}</select>`
          : html`<span class="muted">${access === undefined ? '' : sayAccess({ accessRole: access.accessRole }, say, locale)}${canShare ? `. ${say('changedThere')}` : ''}</span>`
      }`
  }

  #option(entry: Entry, value: Role | typeof REMOVED, text: string): TemplateResult {
    const selected = this.#chosen.get(idOf(entry)) ?? ownGrant(entry)?.accessRole
    return html`<option value=${value} .selected=${value === selected}>${text}</option>`
  }
}

/** The source of access is not named if it is a grant of their own. */
const OWN_VIA = { type: 'document', inherited: false } as const

const STRENGTHS: readonly Role[] = ['viewer', 'commenter', 'editor']

/** The grant on the document that counts: the strongest. */
const ownGrant = ({ grants }: Entry): Entry['grants'][number] | undefined =>
  grants.toSorted((one, other) => STRENGTHS.indexOf(other.accessRole) - STRENGTHS.indexOf(one.accessRole))[0]
