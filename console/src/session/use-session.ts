/** Hooks for views: who is signed in, and the API key of the current URL. */
import { useParams } from '@tanstack/react-router'
import { createContext, useContext } from 'react'
import type { SignedIn } from '#sdk/session.ts'
import { type Key, keyOf } from './session.ts'

const SessionContext = createContext<SignedIn | undefined>(undefined)

/**
 * Gives the session to the views. They do not read it from the query, which is null as soon as the session has ended: a view
 * that was drawn once more before the guard had removed it would fail.
 */
export const SessionProvider = SessionContext.Provider

export function useSession(): SignedIn {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('no user is signed in')
  return session
}

/** Returns the API key in the URL. */
export function useKey(): Key {
  const { apiKey } = useParams({ strict: false })
  if (apiKey === undefined) throw new Error('the URL has no API key')
  return keyOf(apiKey)
}
