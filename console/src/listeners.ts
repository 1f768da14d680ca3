/** Callbacks for a change of something, for `useSyncExternalStore` and other readers. */

export interface Listeners {
  /** Calls back after each change, until the returned function is called. */
  listen(listener: () => void): () => void
  notify(): void
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>()
  return {
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify() {
      for (const listener of listeners) listener()
    },
  }
}
