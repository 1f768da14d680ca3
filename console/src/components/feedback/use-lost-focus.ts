/** Gives the focus to a new part of a view if what had it is gone or disabled, as a button that started something is. */
import { useEffect, useRef } from 'react'

export function useLostFocus<Of extends HTMLElement>() {
  const ref = useRef<Of>(null)
  useEffect(() => {
    if (document.activeElement?.matches('body, :disabled') ?? true) ref.current?.focus()
  }, [])
  return { ref, tabIndex: -1 }
}
