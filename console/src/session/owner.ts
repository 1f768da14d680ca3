/**
 * Who the page belongs to. When their session ends, the page stays, with what they have typed, until they sign in again:
 * calls that were refused meanwhile are then repeated. Nobody else ever gets the page.
 */
import { useSyncExternalStore } from 'react'
import type { SignedIn } from '#sdk/session.ts'
import { createListeners } from '../listeners.ts'

/** Names who a session stands for. Of a token, the page knows only what it may do. */
export const accountOf = ({ workspaceId, operator, apiKey, scopes }: SignedIn & { scopes?: readonly string[] }) =>
  JSON.stringify([workspaceId, operator?.id, apiKey, scopes])

let owner: SignedIn | undefined
const { listen, notify } = createListeners()
/** The calls that wait for the owner. */
const waiting = new Set<(isBack: boolean) => void>()

export const ownerNow = (): SignedIn | undefined => owner

export const useOwner = (): SignedIn | undefined => useSyncExternalStore(listen, ownerNow)

function set(signedIn: SignedIn | undefined): void {
  owner = signedIn
  for (const settle of waiting) settle(signedIn !== undefined)
  notify()
}

/** The page shows what this person may see; without effect if it belongs to somebody else. */
export function own(signedIn: SignedIn): void {
  if (owner === undefined || accountOf(owner) === accountOf(signedIn)) set(signedIn)
}

/** The owner has signed out: what waited for them fails. */
export const disown = (): void => set(undefined)

/** Resolves to true when the owner has signed in again, to false when they have signed out. Rejects when the signal is aborted. */
export function ownerBack(signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      waiting.delete(settle)
      reject(signal?.reason)
    }
    const settle = (isBack: boolean) => {
      waiting.delete(settle)
      signal?.removeEventListener('abort', stop)
      resolve(isBack)
    }
    waiting.add(settle)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
