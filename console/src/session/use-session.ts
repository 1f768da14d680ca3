/** Who is signed in, and the API key of the address: for views, which stand where both are known. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { SignedIn } from '#sdk/session.ts'
import { type Key, keyOf, sessionQuery } from './session.ts'

export function useSession(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('nobody is signed in')
  return data
}

/** The API key that is chosen: the one in the address. */
export function useKey(): Key {
  const { apiKey } = useParams({ strict: false })
  if (apiKey === undefined) throw new Error('the address names no API key')
  return keyOf(apiKey)
}
