/** `<commonhold-inbox>`: a bell with the number of unread notifications, and the inbox that it opens. */
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { sayError } from '../connection/call-error.ts'
import type { Connection } from '../connection/connection.ts'
import type { Follower } from '../connection/live.ts'
import { type Group, InboxStore } from '../store/inbox.ts'
import { inboxStyles } from '../styles/inbox.ts'
import { scheme, shared } from '../styles/shared.ts'
import { ConnectedElement } from './base.ts'
import { notificationView, urlOf } from './notification.ts'

const COUNT_MAX = 99
const GAP = 6

export class CommonholdInbox extends ConnectedElement {
  static override properties: PropertyDeclarations = {
    ...ConnectedElement.properties,
    version: { state: true },
    isOpen: { state: true },
    error: { state: true },
  }
  declare private version: number
  declare private isOpen: boolean
  declare private error: string
  #store: InboxStore | undefined

  constructor() {
    super()
    this.version = 0
    this.isOpen = false
    this.error = ''
  }

  protected override start(connection: Connection | undefined): void {
    const { organizationId } = this
    this.#store = undefined
    if (connection === undefined || !organizationId) return
    const store = new InboxStore(connection, organizationId, () => {
      if (store !== this.#store) return
      this.version++
      this.dispatchEvent(new CustomEvent('commonhold-unread', { detail: { unread: store.unread } }))
    })
    this.#store = store
    void store.load()
  }

  protected override get follower(): Follower | undefined {
    const on: Follower['on'] = (event) => {
      if (event === 'ready' || event === 'inbox' || event === 'reset') void this.refresh()
    }
    return this.#store && { on }
  }

  protected override showAgain(): void {
    if (this.#store?.error === undefined) this.version++
    else void this.refresh()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener('commonhold-seen', this.#onSeen)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('commonhold-seen', this.#onSeen)
  }

  readonly #onSeen = () => void this.refresh()

  override async refresh(): Promise<void> {
    await this.#store?.load()
  }

  get #panel(): HTMLElement {
    return this.renderRoot.querySelector('#panel') as HTMLElement
  }

  get #bell(): HTMLElement {
    return this.renderRoot.querySelector('#bell') as HTMLElement
  }

  #onToggle(event: Event): void {
    this.isOpen = (event as ToggleEvent).newState === 'open'
    if (!this.isOpen) {
      // The focused element may be gone, such as the button that marked all as read.
      if ([document.body, this].includes(document.activeElement as HTMLElement)) this.#bell.focus()
      return
    }
    this.#place()
    void this.refresh()
    this.#panel.focus()
  }

  /** Puts the panel below the bell, on the side where there is room. */
  #place(): void {
    const bell = this.#bell.getBoundingClientRect()
    const { style, offsetWidth } = this.#panel
    const isInEndHalf = bell.left + bell.width / 2 > innerWidth / 2
    const left = isInEndHalf ? bell.right - offsetWidth : bell.left
    style.left = `${Math.max(GAP, Math.min(left, innerWidth - offsetWidth - GAP))}px`
    style.top = `${bell.bottom + GAP}px`
    style.maxHeight = `${Math.max(160, innerHeight - bell.bottom - 3 * GAP)}px`
  }

  async #act(act: () => Promise<void> | undefined): Promise<void> {
    this.error = ''
    try {
      await act()
    } catch (error) {
      this.error = sayError(error, this.say)
    }
  }

  /** Leads to what a notification is about: the page of the event decides, or else its link is followed. */
  #open(event: Event, group: Group): void {
    const { metadata, targetAnnotationId: annotationId } = group.newest
    const { organizationId, documentId } = metadata
    const detail = { organizationId, documentId, annotationId, url: urlOf(group.newest) }
    const asked = new CustomEvent('commonhold-open', { detail, bubbles: true, composed: true, cancelable: true })
    void this.#act(() => this.#store?.markRead(group))
    if (this.dispatchEvent(asked)) return
    event.preventDefault()
    this.#panel.hidePopover()
  }

  protected override render() {
    const { say } = this
    const { unread = 0, hasMore = false } = this.#store ?? {}
    const count = unread > COUNT_MAX || (hasMore && unread > 0) ? `${Math.min(unread, COUNT_MAX)}+` : String(unread)
    return html`
      <button part="button bell" id="bell" popovertarget="panel" aria-haspopup="dialog" aria-expanded=${this.isOpen}
        aria-label=${unread === 0 ? say('notifications') : say('unread', { count: unread })}>
        ${BELL}${unread === 0 ? nothing : html`<span part="count" aria-hidden="true">${count}</span>`}</button>
      <div part="inbox" id="panel" popover role="dialog" tabindex="-1" aria-label=${say('notifications')} @toggle=${this.#onToggle}>
        ${this.isOpen ? this.#panelView() : nothing}
      </div>`
  }

  #panelView(): TemplateResult {
    const { say } = this
    const store = this.#store
    const error = store?.error === undefined ? this.error : sayError(store.error, say, true)
    return html`
      <div class="row top"><h2 part="title">${say('notifications')}</h2>${
        store !== undefined && store.unread > 0
          ? html`<button part="button" id="all" @click=${() => this.#act(() => store.markAllRead()).then(() => this.#panel.focus())}>${say('markAll')}</button>`
          : nothing
      }</div>
      ${
        error === ''
          ? nothing
          : html`<div class="error" part="error" role="alert"><p>${error}</p>
              <button part="button" @click=${() => this.#act(() => this.refresh()).then(() => this.#panel.focus())}>${say('tryAgain')}</button></div>`
      }
      ${store?.isLoaded && store.groups.length === 0 ? html`<p class="muted">${say('noNotifications')}</p>` : nothing}
      <ol role="list">${store?.groups.map((group) => html`<li part="notification">${this.#groupView(store, group)}</li>`)}</ol>`
  }

  #groupView(store: InboxStore, group: Group): TemplateResult {
    const { say, locale } = this
    return notificationView(group, {
      ...{ say, locale },
      open: (event) => this.#open(event, group),
      markRead: () => void this.#act(() => store.markRead(group)).then(() => this.#panel.focus()),
    })
  }

  static override styles = [shared, scheme, inboxStyles]
}

const BELL = html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true">
  <path d="M6 9a6 6 0 0 1 12 0c0 6 2 7 2 8H4c0-1 2-2 2-8ZM10 20.5h4" /></svg>`
