/** The session of this page. The browser holds the cookie; the page knows who is signed in, but no secret. */
import { notifications } from '@mantine/notifications'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { type Client, createPublicClient } from '#sdk/client.ts'
import type { Warning } from '#sdk/generated/warnings.ts'
import { createSession, type FirstWorkspace, type Session, type SignedIn, type SignIn } from '#sdk/session.ts'
import { HEADER_PREFIX } from '../page-data.ts'
import { forgetPicked } from '../recent.ts'
import { isUnreachable, reportError } from './reachability.ts'
import { maySignOut } from './unfinished.ts'

const session = createSession({
  url: location.origin,
  headerPrefix: HEADER_PREFIX,
  onWarning: notifyWarning,
  // One probe asks for all calls whether the server is back.
  isRetried: (error) => !isUnreachable(error),
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
  staleTime: ROLE_MS,
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

/** Whose one-time link it is. */
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

/** Shows the console to the person who is signed in now. */
export async function enter(queryClient: QueryClient): Promise<void> {
  await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
  otherTabs.postMessage('signed in')
}

/** Signs in with a token, or with a link, which is used up. */
export async function signIn(queryClient: QueryClient, data: SignIn): Promise<void> {
  const signedIn = await session.signIn(data)
  isSignedOutByHand = false
  clearCache(queryClient)
  queryClient.setQueryData(sessionQuery.queryKey, signedIn)
  otherTabs.postMessage('signed in')
}

/** Begins a new session of the same account with another token; the cache stays. */
export const continueSession = (data: SignIn): Promise<unknown> => session.signIn(data)

let isSignedOutByHand = false

/** Whether the person has signed out, in this tab or in another; otherwise a session that is over has ended without them. */
export const hasSignedOut = (): boolean => isSignedOutByHand

/** Deletes the session on the server; when that fails, the user is still signed in. Asks first while something is under way. */
export async function signOut(queryClient: QueryClient): Promise<void> {
  if (!(await maySignOut())) return
  await session.signOut()
  isSignedOutByHand = true
  await queryClient.cancelQueries({ queryKey: sessionQuery.queryKey })
  queryClient.setQueryData(sessionQuery.queryKey, null)
  clearCache(queryClient)
  otherTabs.postMessage('signed out')
}

/** Tabs share the cookie: signing out of one signs out of all. */
const otherTabs = new BroadcastChannel('commonhold-session')

export function listenToOtherTabs(queryClient: QueryClient): void {
  otherTabs.onmessage = async ({ data }: MessageEvent<string>) => {
    isSignedOutByHand = data === 'signed out'
    await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
    clearCache(queryClient)
  }
}

/** Clears the cache, and the data that the browser remembers: the next user must not see the data of the previous one. */
function clearCache(queryClient: QueryClient): void {
  keys.clear()
  forgetPicked()
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  queryClient.getMutationCache().clear()
}

const GIVES_ACCESS =
  /^(permissions\.add|grants\.add|users\.(add|update)|userGroupUsers\.add|invitations\.(add|respond)|(folder|document)Access\.set)$/

/** Calls that open documents by the default of an API key; the warning says how many. */
const SETS_DEFAULT = /^(keyConfig\.(update|copy)|apiKeys\.create)$/

/**
 * Shows a notification for a warning: that everyone has access to something anyway, so a grant limits nobody, or that a
 * list is not complete. `call` is the method of the client. Calls that list access notify nobody: the access page says
 * by itself what is public.
 */
function notifyWarning({ code, message }: Warning, call: string): void {
  if (code === 'keys_unavailable')
    return void notifications.show({
      ...{ id: message, color: 'yellow', autoClose: 12_000, role: 'status' },
      ...{ title: 'Some API keys are missing', message },
    })
  const isDefault = SETS_DEFAULT.test(call)
  if (code !== 'public_access' || !(isDefault || GIVES_ACCESS.test(call))) return
  notifications.show({
    id: 'public-access',
    color: 'yellow',
    autoClose: 12_000,
    role: 'status',
    title: 'Everyone has access',
    message: isDefault
      ? message
      : 'Some of it is public: every user of the API key has access, also without a grant. Its page says why.',
  })
}
