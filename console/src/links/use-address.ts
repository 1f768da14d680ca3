/** Controls whose state is in the address. What is chosen shows at once: the address follows a moment later. */
import { useNavigate } from '@tanstack/react-router'
import { startTransition, useOptimistic } from 'react'

/** Returns a value of the address as it was last chosen, and a function that chooses another; `go` changes the address. */
export function useAtOnce<Value>(value: Value, go: (chosen: Value) => Promise<void>) {
  const [shown, show] = useOptimistic(value)
  const choose = (chosen: Value): void =>
    startTransition(async () => {
      show(chosen)
      await go(chosen)
    })
  return [shown, choose] as const
}

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
  const [shown, show] = useOptimistic(search, (previous, change: (search: Search) => Search) => change(previous))
  const change = (change: (search: Search) => Search, options: ChangeOptions = {}): void =>
    startTransition(async () => {
      show(change)
      await navigate({ to: '.', search: change as never, resetScroll: false, ...options })
    })
  return [shown, change] as const
}
