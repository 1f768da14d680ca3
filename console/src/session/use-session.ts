/** Hooks for views: who is signed in, and the API key of the current URL. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { SignedIn } from '#sdk/session.ts'
import { type Key, keyOf, sessionQuery } from './session.ts'

export function useSession(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('no user is signed in')
  return data
}

/** Returns the API key in the URL. */
export function useKey(): Key {
  const { apiKey } = useParams({ strict: false })
  if (apiKey === undefined) throw new Error('the URL has no API key')
  return keyOf(apiKey)
}
