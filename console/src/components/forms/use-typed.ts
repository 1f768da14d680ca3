/** Whether a person has changed what the fields of a dialog show. */
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { askBeforeLoss } from '../../session/unfinished.ts'

/** Chosen values are in pills. */
const FIELDS = 'input, select, textarea, .mantine-Pill-root'

const shownIn = (field: Element): unknown => {
  if (field instanceof HTMLInputElement) return /^(checkbox|radio)$/.test(field.type) ? field.checked : field.value
  return field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement ? field.value : field.textContent
}

const valuesIn = (root: Element): string => JSON.stringify([...root.querySelectorAll(FIELDS)].map(shownIn))

/** The title of the dialog, without the line below it that says what it is about. */
const titleOf = (inside: Element | null): string =>
  [...(inside?.closest('[role=dialog]')?.querySelector('.mantine-Modal-title')?.childNodes ?? [])]
    .flatMap((part) => (part instanceof HTMLDivElement ? [] : (part.textContent ?? '')))
    .join('')
    .trim()

export interface Typed {
  isChanged(): boolean
  /** Whether no other dialog is above the one with the fields. */
  isOnTop(): boolean
  /** The typed text was sent or given up. The form asks about it again only after another change. */
  settle(): void
  /** Sending has failed. */
  unsettle(): void
  /** For the element around the fields. Fields that are loaded late were not changed by anybody. */
  props: {
    ref: React.RefObject<HTMLDivElement | null>
    onKeyDownCapture(): void
    onPointerDownCapture(): void
    onBeforeInputCapture(): void
  }
}

/** Asks before the page is left while there are changes. */
export function useTyped(): Typed {
  const ref = useRef<HTMLDivElement>(null)
  const before = useRef<string>(undefined)
  const isSettled = useRef(false)
  const isChanged = useCallback((): boolean => {
    if (isSettled.current || before.current === undefined || ref.current === null) return false
    return before.current !== valuesIn(ref.current)
  }, [])
  useEffect(() => askBeforeLoss(() => (isChanged() ? { section: titleOf(ref.current) } : undefined)), [isChanged])
  return useMemo(() => {
    const note = () => {
      isSettled.current = false
      if (ref.current !== null) before.current ??= valuesIn(ref.current)
    }
    return {
      isChanged,
      isOnTop: () => [...document.querySelectorAll('[role=dialog]')].at(-1)?.contains(ref.current) ?? false,
      settle: () => {
        isSettled.current = true
      },
      unsettle: () => {
        isSettled.current = false
      },
      props: { ref, onKeyDownCapture: note, onPointerDownCapture: note, onBeforeInputCapture: note },
    }
  }, [isChanged])
}
