/** The session of this page. The browser holds the cookie; the page knows who is signed in, but no secret. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { type Client, createPublicClient } from '#sdk/client.ts'
import { createSession, type FirstWorkspace, type Session, type SignedIn, type SignIn } from '#sdk/session.ts'
import { HEADER_PREFIX } from '../page-data.ts'
import { forgetPicked } from '../recent.ts'
import { accountOf, disown, ownerBack, ownerNow } from './owner.ts'
import { isUnreachable, reportError } from './reachability.ts'
import { maySignOut } from './unfinished.ts'
import { notifyWarning } from './warnings.ts'

const session = createSession({
  url: location.origin,
  headerPrefix: HEADER_PREFIX,
  onWarning: notifyWarning,
  // One probe asks for all calls whether the server is back.
  isRetried: (error) => !isUnreachable(error),
  signsInAgain,
  owner: ownerNow,
})

/** An API key with its client: `key.client.organizations.add(…)`. */
export interface Key {
  /** The API key itself. */
  id: string
  client: Client
}

export const workspace = session.workspace

/** The calls of the console itself. */
export const consoleCalls: Pick<
  Session,
  | 'sessions'
  | 'endSession'
  | 'confirm'
  | 'passkeyOptions'
  | 'passkeys'
  | 'addPasskey'
  | 'removePasskey'
  | 'deviceRequest'
  | 'answerDeviceRequest'
> = session

/** Reads the counts and the health of an API key. */
export const overviewOf = session.overview

/** Reads whether an API key can send mail. */
export const mailStatusOf = session.mailStatus

const keys = new Map<string, Key>()

/** Returns the same object each time, so that it can be a dependency of an effect. */
export function keyOf(id: string): Key {
  const key = keys.get(id) ?? { id, client: session.key(id) }
  keys.set(id, key)
  return key
}

/** How long a page that is looked at may show the role of a moment ago. */
const ROLE_MS = 30_000

/** Who is signed in, or null. It is refetched when the page regains the focus after a while, and for a role that changes meanwhile. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<SignedIn | null> => (await session.whoIsSignedIn()) ?? null,
  // While somebody signs in elsewhere, each return to the page asks.
  staleTime: ({ state }) => (state.data === null ? 0 : ROLE_MS),
  // Tokens have no role, and their scopes never change.
  refetchInterval: ({ state }) => (state.data?.operator === undefined ? false : ROLE_MS),
  gcTime: Number.POSITIVE_INFINITY,
})

/** Calls the server once. When it does not respond, queries wait for it. */
export async function isServerReachable(): Promise<boolean> {
  try {
    await session.whoIsSignedIn()
    return true
  } catch (error) {
    reportError(error)
    return !isUnreachable(error)
  }
}

/** Has links to sign in sent to the owner of an address. */
export const requestLoginLink = (email: string) =>
  createPublicClient({ url: location.origin, headerPrefix: HEADER_PREFIX }).loginLinks.create(
    { email },
    { triesMax: 1 }, // a person is waiting
  )

/** Whether a workspace has set up sign-in with a company for addresses at a domain. */
export const findCompany = session.findCompany

/** The owner of a one-time link. */
export const linkQuery = (link: string) =>
  queryOptions({
    queryKey: ['login-link'],
    queryFn: () => session.ownerOfLink(link),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Refuses when the link of the first visit was used. */
export const firstVisitQuery = (token: string) =>
  queryOptions({
    queryKey: ['first-visit'],
    queryFn: async () => {
      await session.checkFirstVisit(token)
      return true
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

export interface NewFirstWorkspace extends FirstWorkspace {
  apiKeyToken: string
}

/** Creates the first workspace, whose owner is signed in from then on. The page shows who is signed in once it says so (`enter`). */
export async function createFirstWorkspace(
  data: Parameters<Session['createFirstWorkspace']>[0],
): Promise<NewFirstWorkspace> {
  const created = await session.createFirstWorkspace(data)
  const { authTokens } = await session.workspace.authTokens.get({ apiKey: created.apiKey })
  return { ...created, apiKeyToken: authTokens[0]?.token ?? '' }
}

/** The queries of the page, set when it starts. */
let queries: QueryClient

/** Shows the console to the person who is signed in now. */
export async function enter(): Promise<void> {
  await queries.refetchQueries({ queryKey: sessionQuery.queryKey })
}

/** Signs in with a token, or with a link, which is used up. */
export async function signIn(data: SignIn): Promise<void> {
  const signedIn = await session.signIn(data)
  if (ownerNow() === undefined) clearCache()
  queries.setQueryData(sessionQuery.queryKey, signedIn)
}

/** Begins a new session of the same account with another token; the cache stays. */
export const continueSession = (data: SignIn): Promise<unknown> => session.signIn(data)

/**
 * Waits until the owner of the page has signed in again, if the session has ended; otherwise something else was refused.
 * Returns whether the call is made again.
 */
async function signsInAgain(signal: AbortSignal | undefined): Promise<boolean> {
  if (ownerNow() === undefined) return false
  const signedIn = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined)
  return signedIn === null && ownerBack(signal)
}

/** Deletes the session on the server; when that fails, the user is still signed in. Asks first while something is under way. */
export async function signOut(): Promise<void> {
  if (!(await maySignOut())) return
  await session.signOut()
  await forget()
  otherTabs.postMessage(null)
}

/** Removes the page of a person who has signed out. */
async function forget(): Promise<void> {
  await queries.cancelQueries({ queryKey: sessionQuery.queryKey })
  queries.setQueryData(sessionQuery.queryKey, null)
  disown()
  clearCache()
}

/** Tabs share the cookie: signing in or out of one does so in all. They are told who has signed in; null: nobody any more. */
const otherTabs = new BroadcastChannel('commonhold-session')

export const tellOtherTabs = (signedIn: SignedIn): void => otherTabs.postMessage(accountOf(signedIn))

export function startSession(queryClient: QueryClient): void {
  queries = queryClient
  otherTabs.onmessage = async ({ data }: MessageEvent<string | null>) => {
    if (data === null) return forget()
    const { queryKey } = sessionQuery
    const owner = ownerNow()
    const isOwner = owner !== undefined && accountOf(owner) === data
    if (isOwner && queries.getQueryData(queryKey) !== null) return
    // Nothing of this page is sent for somebody else.
    if (!isOwner) queries.setQueryData(queryKey, null)
    await queries.refetchQueries({ queryKey })
  }
}

/** Clears the cache, and the data that the browser remembers: the next user must not see the data of the previous one. */
function clearCache(): void {
  keys.clear()
  forgetPicked()
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  queries.getMutationCache().clear()
}
