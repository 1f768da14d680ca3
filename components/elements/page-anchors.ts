/** Connects threads with the text of a page: marks their passages, knows the selected passage, and finds the thread under the pointer. */
import { mark, pointUnder, unmark } from '../anchors/highlights.ts'
import { type PageText, readPageText } from '../anchors/page-text.ts'
import { describe, find } from '../anchors/quotes.ts'
import { isResolved, type Thread } from '../connection/records.ts'
import type { Anchor } from '../store/thread-changes.ts'

const SETTLE_MS = 250

export class PageAnchors {
  readonly #changed: () => void
  readonly #chosen: (annotationId: string) => void
  #root: Element | null = null
  #page: PageText | undefined
  #threads: readonly Thread[] = []
  #ranges = new Map<string, { start: number; range: Range }>()
  #active: Range | undefined
  #observer: MutationObserver | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `changed` is called when passages have moved or something else is selected, `chosen` when a marked passage is clicked. */
  constructor(changed: () => void, chosen: (annotationId: string) => void) {
    this.#changed = changed
    this.#chosen = chosen
  }

  /** Follows the element with the text. */
  connect(root: Element | null): void {
    if (root === this.#root) return
    this.disconnect()
    this.#root = root
    if (root === null) return
    this.#observer = new MutationObserver(() => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => {
        this.#page = undefined
        this.place(this.#threads)
        this.#changed()
      }, SETTLE_MS)
    })
    this.#observer.observe(root, { subtree: true, childList: true, characterData: true })
    root.addEventListener('click', this.#onClick)
    document.addEventListener('selectionchange', this.#onSelection)
  }

  disconnect(): void {
    clearTimeout(this.#timer)
    this.#observer?.disconnect()
    this.#root?.removeEventListener('click', this.#onClick)
    document.removeEventListener('selectionchange', this.#onSelection)
    unmark(this)
    this.#root = null
    this.#page = undefined
    this.#ranges.clear()
  }

  /** Returns threads in the order of their passages; those about the whole page, and those whose passage is gone, follow. */
  inOrder(threads: readonly Thread[]): Thread[] {
    const place = ({ annotationId }: Thread) => this.positionOf(annotationId) ?? Number.POSITIVE_INFINITY
    return threads.toSorted((one, other) => {
      const [before, after] = [place(one), place(other)]
      return before === after ? one.createdAt - other.createdAt : before - after
    })
  }

  readonly #onSelection = () => this.#changed()

  readonly #onClick = (event: Event) => {
    if (!getSelection()?.isCollapsed) return
    const point = pointUnder(event as MouseEvent)
    if (point === undefined) return
    for (const [annotationId, { range }] of this.#ranges)
      if (range.isPointInRange(point.node, point.offset)) return this.#chosen(annotationId)
  }

  /** Finds the passages of threads, and marks those of open ones. */
  place(threads: readonly Thread[]): void {
    this.#threads = threads
    this.#ranges.clear()
    if (this.#root === null) return
    this.#page ??= readPageText(this.#root)
    for (const thread of threads) {
      const place = find(this.#page.text, thread)
      const range = place && this.#page.rangeOf(place.start, place.end)
      if (place !== undefined && range !== undefined)
        this.#ranges.set(thread.annotationId, { start: place.start, range })
    }
    this.#mark()
  }

  /** Marks a passage more strongly: that of a thread, or one that is being commented. */
  activate(active: string | Range | undefined): void {
    this.#active = typeof active === 'string' ? this.#ranges.get(active)?.range : active
    this.#mark()
  }

  #mark(): void {
    const open = this.#threads.filter((thread) => !isResolved(thread))
    const threads = open.flatMap(({ annotationId }) => this.#ranges.get(annotationId)?.range ?? [])
    mark(this, { threads, active: this.#active === undefined ? [] : [this.#active] })
  }

  /** Returns the position of the passage of a thread; undefined when it is not on the page. */
  positionOf(annotationId: string): number | undefined {
    return this.#ranges.get(annotationId)?.start
  }

  scrollTo(annotationId: string): void {
    const { range } = this.#ranges.get(annotationId) ?? {}
    const element = range?.startContainer.parentElement
    element?.scrollIntoView({ block: 'center', behavior: isCalm() ? 'auto' : 'smooth' })
  }

  /** Returns what is selected inside the element, if anything is. */
  selection(): Range | undefined {
    const selection = getSelection()
    if (this.#root === null || selection === null || selection.isCollapsed || selection.rangeCount === 0)
      return undefined
    const range = selection.getRangeAt(0)
    return this.#root.contains(range.commonAncestorContainer) && range.toString().trim() !== '' ? range : undefined
  }

  /** Describes a selected passage; undefined when it has no text. */
  describe(range: Range): Anchor | undefined {
    if (this.#root === null) return undefined
    this.#page ??= readPageText(this.#root)
    const start = this.#page.positionOf(range.startContainer, range.startOffset)
    const end = this.#page.positionOf(range.endContainer, range.endOffset)
    if (start === undefined || end === undefined) return undefined
    return describe(this.#page.text, { start, end }, this.#root.id)
  }
}

const isCalm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches
