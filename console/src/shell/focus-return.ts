/**
 * Returns the focus to the element that opened a dialog when the dialog closes; the component library does so only for
 * dialogs that are mounted before they open. Returns it to a button that was disabled while it worked. Moves the focus to
 * the view that a link leads to.
 */
import { useEffect } from 'react'

/** Transient elements: the focus never returns to them. */
const TRANSIENT = '[role=dialog], [role=menu], [role=listbox]'

/** Whether the button can be pressed again, after it was disabled while it had the focus. */
const isEnabledAgain = ({ type, target }: MutationRecord): boolean =>
  type === 'attributes' && target instanceof HTMLButtonElement && !target.disabled

const isDialog = (node: Node): boolean =>
  node instanceof Element && (node.matches('[role=dialog]') || node.querySelector('[role=dialog]') !== null)

export function useFocusReturn(): void {
  useEffect(() => {
    let lastFocused: HTMLElement | undefined
    let lastButton: HTMLButtonElement | undefined
    let path = location.pathname
    const remember = ({ target }: FocusEvent): void => {
      lastButton = target instanceof HTMLButtonElement ? target : undefined
      if (!(target instanceof HTMLElement) || target.closest(TRANSIENT) !== null) return
      lastFocused = target
      path = location.pathname
    }
    const observer = new MutationObserver((changes) => {
      const again = changes.find((change) => change.target === lastButton && isEnabledAgain(change))
      if (again !== undefined && document.activeElement === document.body)
        return lastButton?.focus({ preventScroll: true })
      if (document.activeElement !== document.body || document.querySelector('[role=dialog]') !== null) return
      const isElsewhere = lastFocused?.isConnected === false && location.pathname !== path
      if (!isElsewhere && !changes.some(({ removedNodes }) => [...removedNodes].some(isDialog))) return
      const to = lastFocused?.isConnected ? lastFocused : document.getElementById('main')
      to?.focus({ preventScroll: true })
    })
    document.addEventListener('focusin', remember)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => {
      document.removeEventListener('focusin', remember)
      observer.disconnect()
    }
  }, [])
}
