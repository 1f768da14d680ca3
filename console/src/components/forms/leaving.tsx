/** Asks before a view is left while it does something that ends with it; the browser asks before the page is closed. */
import { useBlocker } from '@tanstack/react-router'
import { Confirmation } from './confirmation.tsx'

/** The same function each time: another one would end the question. */
const always = () => true

/** Shown while something is under way. */
export function Leaving({ children }: { children: string }) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: always, withResolver: true })
  if (status !== 'blocked') return null
  return (
    <Confirmation title="Leave this page?" action="Leave" needs={undefined} onConfirm={proceed} onClose={reset}>
      {children}
    </Confirmation>
  )
}
