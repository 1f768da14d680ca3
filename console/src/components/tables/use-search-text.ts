/** The text in the search field of a list. The address has it, so that a link, Back and loading the page again keep it. */
import { useDebouncedValue } from '@mantine/hooks'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type TextSearch, textSearch } from '../../links/searches.ts'
import { useAddress } from '../../links/use-address.ts'

const DEBOUNCE_MS = 200

export interface SearchText {
  typed: string
  type: (text: string) => void
  /** The text of the search; empty as soon as the field is. */
  sought: string
}

/** The route of the view accepts `TextSearch`. */
export function useSearchText(): SearchText {
  const [{ text = '' }, change] = useAddress<TextSearch>(textSearch(useSearch({ strict: false })))
  const [typed, type] = useState(text)
  /** The texts that the address gets from here, one after the other, and the one that it has. */
  const [own, setOwn] = useState<readonly string[]>([text])
  if (!own.includes(text)) {
    // Back, or a link to the same view.
    setOwn([text])
    type(text)
  } else if (own.length > 1 && own.at(-1) === text) setOwn([text])
  const [settled] = useDebouncedValue(typed.trim(), DEBOUNCE_MS)
  useEffect(() => {
    if (settled === own.at(-1) || settled !== typed.trim()) return
    setOwn([...own, settled])
    change(({ text, ...others }) => (settled === '' ? others : { ...others, text: settled }), { replace: true })
  })
  return { typed, type, sought: typed.trim() === '' ? '' : settled }
}
