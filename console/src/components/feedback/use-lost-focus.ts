/** Gives the focus to a new part of a view if the element that had it is gone or disabled, like a button that started something. */
import { useEffect, useRef } from 'react'

export function useLostFocus<Of extends HTMLElement>() {
  const ref = useRef<Of>(null)
  useEffect(() => {
    if (document.activeElement?.matches('body, :disabled, [data-stands-in]') ?? true) ref.current?.focus()
  }, [])
  return { ref, tabIndex: -1 }
}
