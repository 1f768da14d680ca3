/**
 * Asks once before a user leaves a view, or signs out, while something is under way or not saved; the browser asks before
 * the page is closed.
 */
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { isUnfinished, listenToLosses, lossText, setAskBeforeSignOut } from '../../session/unfinished.ts'
import { Confirmation } from './confirmation.tsx'

/** Shown once, beside the views. */
export function Leaving() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isUnfinished,
    enableBeforeUnload: isUnfinished,
    withResolver: true,
  })
  const [answer, setAnswer] = useState<(isLeft: boolean) => void>()
  useEffect(() => setAskBeforeSignOut(() => new Promise((resolve) => setAnswer(() => resolve))), [])
  const isSigningOut = answer !== undefined
  const text = useSyncExternalStore(listenToLosses, () => lossText(isSigningOut))
  const isBlocked = status === 'blocked'
  // It may end while the question is open: then nothing is left to ask about.
  const isOver = text === ''
  useEffect(() => {
    if (!isOver) return
    answer?.(true)
    setAnswer(undefined)
    if (isBlocked) reset()
  }, [isOver, answer, isBlocked, reset])
  if (isOver || !(isSigningOut || isBlocked)) return null
  function close(isLeft: boolean): void {
    answer?.(isLeft)
    setAnswer(undefined)
    if (isBlocked) (isLeft ? proceed : reset)()
  }
  return (
    <Confirmation
      title={isSigningOut ? 'Sign out?' : 'Leave this page?'}
      action={isSigningOut ? 'Sign out' : 'Leave'}
      needs={undefined}
      onConfirm={() => close(true)}
      onClose={() => close(false)}
    >
      {text}
    </Confirmation>
  )
}
