/** Looks for changes again and again while the page is visible. */

/** Calls `look` every `seconds`, and when the page is visible or connected again. Returns a function that stops it. */
export function follow(look: () => void, seconds: number): () => void {
  const lookIfVisible = () => {
    if (document.visibilityState === 'visible') look()
  }
  const timer = setInterval(lookIfVisible, Math.max(1, seconds) * 1_000)
  document.addEventListener('visibilitychange', lookIfVisible)
  window.addEventListener('online', lookIfVisible)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', lookIfVisible)
    window.removeEventListener('online', lookIfVisible)
  }
}
