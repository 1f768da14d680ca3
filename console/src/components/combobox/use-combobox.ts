/**
 * The keyboard and the ARIA attributes of a combobox: a text field with a list of options, of which one is active (the
 * pattern "editable combobox with list autocomplete" of the WAI). Enter picks the active option and nothing else: if it
 * is pressed before the options of the typed text have arrived, it waits for them.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'

export interface Option {
  key: string
  /** Its text, for the field and for screen readers. */
  label: string
  content: ReactNode
  /** Options of one group stand together under this heading. */
  group?: string
  /** It only resembles what was typed: Enter does not pick it before it is seen. */
  isGuess?: boolean
}

export interface Offer<One extends Option> {
  options: readonly One[]
  /** The options are those of an earlier text. */
  isPending: boolean
  hasFailed: boolean
}

interface ComboboxArgs<One extends Option> extends Offer<One> {
  typed: string
  onPick: (option: One) => void
  /** Active when the list opens, instead of the first. */
  selectedKey?: string | undefined
  /** The list cannot be closed. */
  alwaysOpen?: boolean
  /** The field was left, and no button is being pressed. */
  onLeave?: (() => void) | undefined
}

const PAGE_OPTIONS = 10

export function useCombobox<One extends Option>(args: ComboboxArgs<One>) {
  const { options, isPending, hasFailed, typed, onPick, selectedKey, alwaysOpen = false, onLeave } = args
  const id = useId()
  const [isExpanded, setExpanded] = useState(false)
  const [moved, setMoved] = useState<{ typed: string; key: string }>()
  /** Enter was pressed for this text. */
  const [awaited, setAwaited] = useState<string>()
  const isOpen = alwaysOpen || isExpanded
  const isListed = isOpen && options.length > 0
  const activeKey = moved?.typed === typed ? moved.key : typed === '' ? selectedKey : undefined
  const active = isListed && !isPending ? (options.find(({ key }) => key === activeKey) ?? options[0]) : undefined
  const idOf = (option: One) => `${id}-${options.indexOf(option)}`
  const activeId = active === undefined ? undefined : idOf(active)

  function close(): void {
    setExpanded(false)
    setMoved(undefined)
  }
  /** Pressing a button below the list would miss it if the list closed before the press is over, and the button moved. */
  function leave(): void {
    const left = () => {
      close()
      onLeave?.()
    }
    const isPressed = document.querySelector(':active') !== null
    if (isPressed) addEventListener('mouseup', () => setTimeout(left), { once: true })
    else left()
  }
  function pick(option: One): void {
    setAwaited(undefined)
    close()
    onPick(option)
  }
  useEffect(() => {
    if (awaited === undefined || (awaited === typed && isPending)) return
    setAwaited(undefined)
    const [first] = options
    if (awaited === typed && !hasFailed && first !== undefined && first.isGuess !== true) pick(first)
  })
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  function move(to: (index: number) => number): void {
    const option = options[to(active === undefined ? -1 : options.indexOf(active))]
    if (option !== undefined) setMoved({ typed, key: option.key })
  }
  const last = options.length - 1
  const MOVES: Record<string, (index: number) => number> = {
    ArrowDown: (index) => (index === last ? 0 : index + 1),
    ArrowUp: (index) => (index <= 0 ? last : index - 1),
    PageDown: (index) => Math.min(index + PAGE_OPTIONS, last),
    PageUp: (index) => Math.max(index - PAGE_OPTIONS, 0),
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
    const to = MOVES[event.key]
    if (to !== undefined) {
      event.preventDefault()
      if (event.altKey) event.key === 'ArrowUp' ? close() : setExpanded(true)
      else if (!isOpen) setExpanded(true)
      else if (!isPending) move(to)
    } else if (event.key === 'Enter' && isOpen && (isPending || isListed)) {
      event.preventDefault()
      if (isPending) setAwaited(typed)
      else if (active !== undefined) pick(active)
    } else if (event.key === 'Escape') {
      setAwaited(undefined)
      if (isOpen && !alwaysOpen) event.stopPropagation()
      close()
    }
  }
  return {
    isOpen,
    active,
    pick,
    open: () => setExpanded(true),
    close,
    listId: `${id}-list`,
    idOf,
    inputProps: {
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-expanded': isListed,
      'aria-controls': isListed ? `${id}-list` : undefined,
      'aria-activedescendant': activeId,
      'aria-busy': isPending || undefined,
      autoComplete: 'off',
      spellCheck: false,
      // Escape closes the list, not the dialog around it.
      'data-mantine-stop-propagation': (isOpen && !alwaysOpen) || undefined,
      onKeyDown,
      onBlur: leave,
    },
  } as const
}
