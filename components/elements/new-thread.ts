/** Starts a thread about the selected passage or the whole page: the button, the shortcut, and the data that is sent. */
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Anchor, ThreadChanges, Written } from '../store/thread-changes.ts'
import type { CommonholdComposer } from './composer.ts'
import type { PageAnchors } from './page-anchors.ts'

type Host = ReactiveControllerHost & { renderRoot: ParentNode; pageUrl: string | undefined }

interface Actions {
  announce(text: string): Promise<void>
  add(...thread: Parameters<ThreadChanges['add']>): Promise<unknown>
}

export class NewThread implements ReactiveController {
  /** The passage that is being written about; undefined: the whole page; null: nothing is being written. */
  anchor: Anchor | undefined | null = null
  readonly #host: Host
  readonly #anchors: PageAnchors
  readonly #actions: Actions

  constructor(host: Host, anchors: PageAnchors, actions: Actions) {
    this.#host = host
    this.#anchors = anchors
    this.#actions = actions
    host.addController(this)
  }

  hostConnected(): void {
    document.addEventListener('keydown', this.#onKey)
  }

  hostDisconnected(): void {
    document.removeEventListener('keydown', this.#onKey)
  }

  readonly write = async (selected?: Range): Promise<void> => {
    const anchor = selected && this.#anchors.describe(selected)
    this.anchor = anchor
    this.#anchors.activate(anchor && selected?.cloneRange())
    this.#host.requestUpdate()
    await this.#host.updateComplete
    await this.#host.renderRoot.querySelector<CommonholdComposer>('#new')?.focus()
  }

  readonly stop = async (status = ''): Promise<void> => {
    this.anchor = null
    this.#anchors.activate(undefined)
    this.#host.requestUpdate()
    await this.#actions.announce(status)
    this.#host.renderRoot.querySelector<HTMLElement>('#write')?.focus()
  }

  readonly send = async (written: Written, key: string): Promise<void> => {
    const url = this.#host.pageUrl ?? addressOfPage()
    await this.#actions.add(written, key, this.anchor ?? undefined, { url, title: document.title.slice(0, 200) })
  }

  readonly #onKey = (event: KeyboardEvent) => {
    const isShortcut = event.altKey && (event.ctrlKey || event.metaKey) && event.code === 'KeyM'
    const selected = this.#anchors.selection()
    if (!isShortcut || selected === undefined) return
    event.preventDefault()
    void this.write(selected)
  }
}

/** Returns the address of the page without the thread that it may name. */
function addressOfPage(): string {
  const url = new URL(location.href)
  url.searchParams.delete('scommentId')
  url.hash = ''
  return url.href
}
