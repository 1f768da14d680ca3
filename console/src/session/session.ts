/** The session of this page. The browser holds its cookie; the page knows who is signed in, and no secret. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Client } from '#sdk/client.ts'
import { createSession, type SignedIn, type SignIn } from '#sdk/session.ts'
import { HEADER_PREFIX } from '../page-data.ts'

const session = createSession({ url: location.origin, headerPrefix: HEADER_PREFIX })

/** An API key as views call it: `key.client.organizations.add(…)`. */
export interface Key {
  /** The API key itself. */
  id: string
  client: Client
}

export const workspace = session.workspace

const keys = new Map<string, Key>()

/** The same object each time, so that it can stand in the dependencies of an effect. */
export function keyOf(id: string): Key {
  const key = keys.get(id) ?? { id, client: session.key(id) }
  keys.set(id, key)
  return key
}

/** Who is signed in; null: nobody. Another tab may have signed out: it is asked again when this one is looked at. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<SignedIn | null> => (await session.whoIsSignedIn()) ?? null,
  staleTime: 30_000,
  gcTime: Number.POSITIVE_INFINITY,
})

export async function signIn(queryClient: QueryClient, data: SignIn): Promise<void> {
  const signedIn = await session.signIn(data)
  forgetEverything(queryClient)
  queryClient.setQueryData(sessionQuery.queryKey, signedIn)
}

/** Ends the session on the server; when that fails somebody is still signed in. */
export async function signOut(queryClient: QueryClient): Promise<void> {
  await session.signOut()
  queryClient.setQueryData(sessionQuery.queryKey, null)
  forgetEverything(queryClient)
}

/** What one has read the next one must not see. */
function forgetEverything(queryClient: QueryClient): void {
  keys.clear()
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  queryClient.getMutationCache().clear()
}
