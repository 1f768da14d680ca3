/** The parameters of a view in the address. What is chosen shows at once: the address follows a moment later. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

interface ChangeOptions {
  /** Back does not lead to what was shown before. */
  replace?: boolean
}

/**
 * Returns the parameters of the open view as they were last chosen, and a function that changes them. The change gets the
 * parameters as they are then, because several can follow each other closely.
 */
export function useAddress<Search extends object>(search: Search) {
  const navigate = useNavigate()
  const address = JSON.stringify(search)
  const [chosen, choose] = useState<{ search: Search; before: string }>()
  // The address has followed, or somebody has gone elsewhere.
  const isOver = chosen !== undefined && chosen.before !== address
  if (isOver) choose(undefined)
  const shown = chosen === undefined || isOver ? search : chosen.search
  function change(change: (search: Search) => Search, options: ChangeOptions = {}): void {
    const next = change(shown)
    // Also if the address has it: it may be about to follow an earlier choice, which is withdrawn.
    choose({ search: next, before: address })
    void navigate({ to: '.', search: change as never, resetScroll: false, ...options })
  }
  return [shown, change] as const
}
