/**
 * Asks before a user leaves a view, or signs out, while the view does something that would end then; the browser asks
 * before the page is closed.
 */
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { askBeforeSignOut } from '../../session/unfinished.ts'
import { Confirmation } from './confirmation.tsx'

/** The same function each time: another one would end the question. */
const always = () => true

interface LeavingProps {
  children: string
  /** What signing out ends as well. */
  signedOut?: string
}

/** Shown while something is under way, or not saved. Not inside a form: its dialogs have forms of their own. */
export function Leaving({ children, signedOut = '' }: LeavingProps) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: always, withResolver: true })
  const [answer, setAnswer] = useState<(isLeft: boolean) => void>()
  useEffect(() => askBeforeSignOut(() => new Promise((resolve) => setAnswer(() => resolve))), [])
  // It may end while the question is open: then nothing is left to ask about.
  useEffect(() => () => answer?.(true), [answer])
  if (answer !== undefined) {
    const close = (isLeft: boolean) => {
      answer(isLeft)
      setAnswer(undefined)
    }
    return (
      <Confirmation
        title="Sign out?"
        action="Sign out"
        needs={undefined}
        onConfirm={() => close(true)}
        onClose={() => close(false)}
      >
        {`${children} ${signedOut}`.trim()}
      </Confirmation>
    )
  }
  if (status !== 'blocked') return null
  return (
    <Confirmation title="Leave this page?" action="Leave" needs={undefined} onConfirm={proceed} onClose={reset}>
      {children}
    </Confirmation>
  )
}
