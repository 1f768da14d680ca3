/** Detects which threads have been visible to the user for a while. */

const SEEN_AFTER_MS = 1_000

export class SeenWatcher {
  readonly #see: (ids: string[]) => void
  readonly #inView = new Set<Element>()
  readonly #observer: IntersectionObserver
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `see` is called with the `data-id` of elements in view. */
  constructor(see: (ids: string[]) => void) {
    this.#see = see
    this.#observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) this.#inView.add(target)
        else this.#inView.delete(target)
      this.#soon()
    })
  }

  /** Watches elements, which may have something new; those that are watched already, too. */
  watch(elements: Iterable<Element>): void {
    for (const element of elements) this.#observer.observe(element)
    this.#soon()
  }

  #soon(): void {
    if (this.#inView.size === 0) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (document.visibilityState !== 'visible') return
      this.#see([...this.#inView].filter((one) => one.isConnected).map((one) => (one as HTMLElement).dataset.id ?? ''))
    }, SEEN_AFTER_MS)
  }

  disconnect(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#observer.disconnect()
    this.#inView.clear()
  }
}
