/** The session of this page. The browser holds its cookie; the page knows who is signed in, and no secret. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Client } from '#sdk/client.ts'
import { createSession, type SignedIn, type SignIn } from '#sdk/session.ts'
import { HEADER_PREFIX } from '../page-data.ts'
import { noteFailure } from '../shell/reachability.ts'

const session = createSession({ url: location.origin, headerPrefix: HEADER_PREFIX })

/** An API key as views call it: `key.client.organizations.add(…)`. */
export interface Key {
  /** The API key itself. */
  id: string
  client: Client
}

export const workspace = session.workspace

/** What an API key has, and how it does. */
export const overviewOf = session.overview

const keys = new Map<string, Key>()

/** The same object each time, so that it can stand in the dependencies of an effect. */
export function keyOf(id: string): Key {
  const key = keys.get(id) ?? { id, client: session.key(id) }
  keys.set(id, key)
  return key
}

/** Who is signed in; null: nobody. It is asked again when the page is looked at after a while. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<SignedIn | null> => (await session.whoIsSignedIn()) ?? null,
  staleTime: 30_000,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Asks it. When it does not answer, that is noted, so that the page says so. */
export async function isServerThere(): Promise<boolean> {
  try {
    await session.whoIsSignedIn()
    return true
  } catch (error) {
    noteFailure(error)
    return false
  }
}

export async function signIn(queryClient: QueryClient, data: SignIn): Promise<void> {
  const signedIn = await session.signIn(data)
  forgetEverything(queryClient)
  queryClient.setQueryData(sessionQuery.queryKey, signedIn)
  otherTabs.postMessage('signed in')
}

/** Ends the session on the server; when that fails somebody is still signed in. */
export async function signOut(queryClient: QueryClient): Promise<void> {
  await session.signOut()
  await queryClient.cancelQueries({ queryKey: sessionQuery.queryKey })
  queryClient.setQueryData(sessionQuery.queryKey, null)
  forgetEverything(queryClient)
  otherTabs.postMessage('signed out')
}

/** They have the same cookie: whoever signs out in one is signed out in all. */
const otherTabs = new BroadcastChannel('commonhold-session')

export function listenToOtherTabs(queryClient: QueryClient): void {
  otherTabs.onmessage = async () => {
    await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
    forgetEverything(queryClient)
  }
}

/** What one has read the next one must not see. */
function forgetEverything(queryClient: QueryClient): void {
  keys.clear()
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  queryClient.getMutationCache().clear()
}
