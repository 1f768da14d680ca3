/**
 * Returns the focus to the element that opened a dialog when the dialog closes; the component library does so only for
 * dialogs that are mounted before they open. Returns it to a button that was disabled while it worked; if the button stays
 * disabled, because there is nothing more to do, the element around it gets the focus, so that Tab continues from there
 * and a second Enter does nothing. When a row is deleted, the next one gets the focus, as a whole, for the same reason.
 * Moves the focus to the view that a link leads to.
 */
import { useEffect } from 'react'

/** Transient elements: the focus never returns to them. */
const TRANSIENT = '[role=dialog], dialog, [role=menu], [role=listbox]'

/** Whether the button can be pressed again, after it was disabled while it had the focus. */
const isEnabledAgain = ({ type, target }: MutationRecord): boolean =>
  type === 'attributes' && target instanceof HTMLButtonElement && !target.disabled

/** Whether the button stays disabled: it is not one that works and is enabled afterwards. */
const isDone = ({ type, target }: MutationRecord): boolean =>
  type === 'attributes' &&
  target instanceof HTMLButtonElement &&
  target.disabled &&
  target.dataset.loading === undefined

/** Rows of long lists are removed when they are scrolled out of sight, within this many milliseconds. */
const SCROLLED_MS = 300

/** Returns the element that is now where a removed one was: its next neighbour, the previous one, or the one around it. */
function placeOf(removed: HTMLElement, changes: readonly MutationRecord[]): HTMLElement | undefined {
  const change = changes.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(removed)))
  if (change === undefined) return undefined
  const { nextSibling, previousSibling, target } = change
  return [nextSibling, previousSibling, target].find(
    (node): node is HTMLElement => node instanceof HTMLElement && node.isConnected && node.checkVisibility(),
  )
}

/** Gives the focus to an element that cannot have it otherwise, for as long as it stays there. */
function focusOn(around: HTMLElement | null): void {
  if (around === null) return
  if (!around.hasAttribute('tabindex')) {
    around.tabIndex = -1
    around.dataset.standsIn = ''
    const isOver = () => {
      around.removeAttribute('tabindex')
      delete around.dataset.standsIn
    }
    around.addEventListener('blur', isOver, { once: true })
  }
  around.focus({ preventScroll: true })
}

const focusMain = () => document.getElementById('main')?.focus({ preventScroll: true })

const isDialog = (node: Node): boolean =>
  node instanceof Element && (node.matches('[role=dialog]') || node.querySelector('[role=dialog]') !== null)

export function useFocusReturn(): void {
  useEffect(() => {
    let lastFocused: HTMLElement | undefined
    let lastButton: HTMLButtonElement | undefined
    let path = location.pathname
    let scrolledAt = Number.NEGATIVE_INFINITY
    const remember = ({ target }: FocusEvent): void => {
      if (target instanceof HTMLElement && target === lastButton?.parentElement) return
      lastButton = target instanceof HTMLButtonElement ? target : undefined
      if (!(target instanceof HTMLElement) || target.closest(TRANSIENT) !== null) return
      lastFocused = target
      path = location.pathname
    }
    const observer = new MutationObserver((changes) => {
      const ofButton = changes.filter(({ target }) => target === lastButton)
      const isLost = document.activeElement === document.body || document.activeElement === lastButton
      const isAround = document.activeElement === lastButton?.parentElement
      if ((isLost || isAround) && ofButton.some(isEnabledAgain)) return lastButton?.focus({ preventScroll: true })
      if (isLost && lastButton !== undefined && ofButton.some(isDone)) return focusOn(lastButton.parentElement)
      if (document.activeElement !== document.body || document.querySelector('[role=dialog]') !== null) return
      const isRemoved = lastFocused?.isConnected === false
      const isElsewhere = isRemoved && location.pathname !== path
      if (lastFocused !== undefined && isRemoved && !isElsewhere && performance.now() - scrolledAt > SCROLLED_MS) {
        const place = placeOf(lastFocused, changes)
        if (place !== undefined) return document.getElementById('main')?.contains(place) ? focusOn(place) : focusMain()
      }
      if (!isElsewhere && !changes.some(({ removedNodes }) => [...removedNodes].some(isDialog))) return
      if (lastFocused?.isConnected) lastFocused.focus({ preventScroll: true })
      else focusMain()
    })
    const noteScroll = () => {
      scrolledAt = performance.now()
    }
    document.addEventListener('scroll', noteScroll, { capture: true, passive: true })
    document.addEventListener('focusin', remember)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'data-loading'] })
    return () => {
      document.removeEventListener('focusin', remember)
      document.removeEventListener('scroll', noteScroll, { capture: true })
      observer.disconnect()
    }
  }, [])
}
