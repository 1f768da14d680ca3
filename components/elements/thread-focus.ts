/** Shows one thread of a page: the one that the address of the page names, that an inbox opens, or whose passage is clicked. */
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Thread } from '../connection/records.ts'
import type { PageAnchors } from './page-anchors.ts'
import type { CommonholdThread } from './thread.ts'

type Host = ReactiveControllerHost & {
  renderRoot: ParentNode
  organizationId: string | undefined
  documentId: string | undefined
}

interface Threads {
  find(annotationId: string): Thread | undefined
  /** Lists a thread with any filter. */
  list(thread: Thread): void
}

export class ThreadFocus implements ReactiveController {
  activeId: string | undefined
  /** The thread that the address of the page names, until it was shown. */
  #wanted = new URL(location.href).searchParams.get('scommentId') ?? undefined
  readonly #host: Host
  readonly #anchors: PageAnchors
  readonly #threads: Threads

  constructor(host: Host, anchors: PageAnchors, threads: Threads) {
    this.#host = host
    this.#anchors = anchors
    this.#threads = threads
    host.addController(this)
  }

  hostConnected(): void {
    document.addEventListener('commonhold-open', this.#onOpen)
  }

  hostDisconnected(): void {
    document.removeEventListener('commonhold-open', this.#onOpen)
  }

  /** Shows a thread, and gives it the focus. Returns false if there is no such thread. */
  async show(annotationId: string): Promise<boolean> {
    const thread = this.#threads.find(annotationId)
    if (thread === undefined) return false
    this.#threads.list(thread)
    this.#activate(annotationId)
    await this.#host.updateComplete
    const element = this.elementOf(annotationId)
    await element?.updateComplete
    element?.scrollIntoView({ block: 'nearest' })
    element?.focus()
    return true
  }

  showWanted(): void {
    const wanted = this.#wanted
    this.#wanted = undefined
    if (wanted !== undefined) void this.show(wanted)
  }

  /** Shows the passage of a thread. */
  readonly follow = (annotationId: string): void => {
    this.#activate(annotationId)
    this.#anchors.scrollTo(annotationId)
  }

  elementOf(annotationId: string): CommonholdThread | null {
    return this.#host.renderRoot.querySelector(`commonhold-thread[data-id="${CSS.escape(annotationId)}"]`)
  }

  #activate(annotationId: string): void {
    this.activeId = annotationId
    this.#anchors.activate(annotationId)
    this.#host.requestUpdate()
  }

  readonly #onOpen = (event: Event) => {
    const { organizationId, documentId, annotationId } = (event as CustomEvent).detail
    if (organizationId !== this.#host.organizationId || documentId !== this.#host.documentId || !annotationId) return
    if (this.#threads.find(annotationId) === undefined) return
    event.preventDefault()
    void this.show(annotationId)
  }
}
