/**
 * The client of the console: a person signs in once with a secret, and from then on the browser's cookie replaces it.
 * It works only on pages of the server itself, and is not part of the published package.
 */

import { call } from './call.ts'
import type { Caller } from './caller.ts'
import { type Client, callerOf, clientOf, methodsOf, type WorkspaceClient } from './client.ts'
import type { CommonholdError } from './errors.ts'
import { METHODS } from './generated/methods.ts'
import type { AccessRole, AccessType, ListedAuthToken, OperatorRole, WebhookHealth } from './generated/operations.ts'
import type { CallOptions, ServerOptions } from './options.ts'
import { serverOf } from './server.ts'

/** A person who manages a workspace. */
export interface SignedInOperator {
  id: string
  name: string
  email: string
  role: OperatorRole
}

/** The account of a session: the token of a workspace, an operator of it, or an auth token of one API key. */
export type SignedIn =
  | { workspaceId: string; workspaceName: string; operator?: SignedInOperator; apiKey?: undefined }
  | {
      apiKey: string
      scopes: ListedAuthToken['scopes']
      workspaceId?: undefined
      workspaceName?: undefined
      operator?: undefined
    }

export type SignIn =
  | { workspaceId: string; token: string }
  | { apiKey: string; token: string }
  | { link: string }
  | { passkey: object }

/** How an operator proves again who they are. */
export type Confirmation = { token: string } | { passkey: object }

/** A passkey of the operator. Times are in milliseconds. */
export interface ListedPasskey {
  id: string
  name: string
  createdAt: number
  lastUsedAt?: number
}

/** A session of a workspace: of an operator, or of the token with this name. Times are in milliseconds. */
export interface ListedSession {
  id: string
  operator?: { id: string; name: string }
  token?: string
  /** The machine of a command line; absent for a browser. */
  machine?: string
  userAgent: string
  address: string
  createdAt: number
  lastSeenAt: number
  /** When it ends if it is used no more. */
  endsAt: number
  isCurrent: boolean
}

/** Whether an API key can send mail, and the ends of its last mails, which are kept for 30 days. Times are in milliseconds. */
export interface MailStatus {
  /** Whether the e-mail service of the key is on. */
  isOn: boolean
  /** Whether mails about invitations are to be sent. */
  reportsInvitations: boolean
  /** The settings that the service lacks to send mail, whether it is switched on or off. */
  missing: readonly ('server' | 'apiKey' | 'fromEmail')[]
  /** The kind of a mail that failed and is tried again. */
  retriedKind?: string
  lastSentAt?: number
  lastFailure?: { at: number; kind: string }
}

/** The request of a command line to be signed in. The machine itself gives its name and user agent. */
export interface DeviceRequest {
  machine: string
  userAgent: string
  address: string
  /** Whether this browser certainly has the same address. */
  isSameAddress: boolean
}

/** The credentials of a new workspace that an application and an owner need. */
export interface FirstWorkspace {
  workspaceId: string
  workspaceToken: string
  apiKey: string
}

export interface Overview {
  /** Each counts to `countedMax + 1` at most, which means that there are more than `countedMax`. */
  counts: { organizations: number; folders: number; documents: number; users: number; grants: number }
  countedMax: number
  /** The access type of documents and folders without one of their own. */
  defaultAccessType: AccessType
  /** The role of users whom the access type admits and who have no grant. */
  defaultAccessRole: AccessRole
  /** Pending webhook messages, and how long the oldest is overdue. */
  deliveries: { waiting: number; overdueSeconds: number }
  /** The webhooks by status, and the first webhooks that fail or were disabled because they failed. */
  webhooks: {
    statuses: Partial<Record<WebhookHealth['status'], number>>
    troubled: { endpointId: string; status: WebhookHealth['status']; failingSince: number | null }[]
  }
  /** Unfinished migrations, erasures and revocations, and the longest time for which one of them has made no progress. */
  jobs: { unfinished: number; overdueSeconds: number }
  mail: MailStatus
  databaseMs: number
  version: string
  engine: 'embedded' | 'postgres'
}

export interface Session {
  /** Fails like a call with invalid credentials if the id and the token do not belong together. */
  signIn(data: SignIn): Promise<SignedIn>
  /** Returns undefined if nobody is signed in, or the session has expired. */
  whoIsSignedIn(): Promise<SignedIn | undefined>
  /** Ends the session on the server. */
  signOut(): Promise<void>
  /** Returns whose one-time link it is. Fails like a call with invalid credentials if the link is not valid. */
  ownerOfLink(link: string): Promise<{ workspaceName: string; name: string; email: string }>
  /** Fails like a call with invalid credentials if the link of the first visit was used, or there is a workspace. */
  checkFirstVisit(token: string): Promise<void>
  /** Creates the first workspace, and signs in its owner. */
  createFirstWorkspace(data: {
    token: string
    workspaceName: string
    email?: string
    defaultDocumentAccessType: AccessType
  }): Promise<FirstWorkspace>
  /**
   * Returns the request with a user code; undefined if the operator cannot answer it: unknown, expired, answered, or
   * for another workspace.
   */
  deviceRequest(userCode: string): Promise<DeviceRequest | undefined>
  /** Lets the command line act as the operator, or refuses it. Returns false if somebody else has answered, or the code has expired. */
  answerDeviceRequest(userCode: string, answer: 'approve' | 'deny'): Promise<boolean>
  /** Returns the sessions that the caller may end. */
  sessions(): Promise<ListedSession[]>
  endSession(sessionId: string): Promise<void>
  /** Proves again who the operator is: for the next ten minutes, calls that show secrets are allowed. */
  confirm(data: Confirmation): Promise<void>
  /** Returns the options for the browser to sign in with a passkey, to confirm who the operator is, or to register a passkey. */
  passkeyOptions(purpose: 'sign-in' | 'confirm' | 'register'): Promise<object>
  /** Returns the passkeys of the operator. `isOffered`: browsers accept passkeys at the address of this server. */
  /** Returns whether addresses at a domain lead to a workspace with single sign-on. */
  findCompany(domain: string): Promise<boolean>
  passkeys(): Promise<{ isOffered: boolean; passkeys: ListedPasskey[] }>
  addPasskey(name: string, passkey: object): Promise<void>
  removePasskey(passkeyId: string): Promise<void>
  /** Calls as the workspace. The server refuses them in a session of an API key. */
  workspace: WorkspaceClient
  /** Returns the counts and the health of an API key. */
  overview(apiKey: string): Promise<Overview>
  mailStatus(apiKey: string): Promise<MailStatus>
  /** Calls with an API key of the workspace, or with the one of the session. */
  key(apiKey: string): Client
}

interface SessionOptions extends ServerOptions {
  /** Returns whether a call that failed is repeated at all. Default: those that can succeed later are. */
  isRetried?: (error: CommonholdError) => boolean
  /** Called when a call is refused because of its session. Returns whether the same person has a new one: then it is repeated. */
  signsInAgain?: Caller['signsInAgain']
  /** Returns for whom calls are made. The server refuses them when somebody else has signed in, in another tab for example. */
  owner?: () => SignedIn | undefined
}

/** The account as the server names it: an operator, a workspace or an API key. */
const accountIdOf = ({ operator, workspaceId, apiKey }: SignedIn) => operator?.id ?? workspaceId ?? apiKey

export function createSession({ isRetried, signsInAgain, owner, ...options }: SessionOptions): Session {
  const server = serverOf(options)
  const headers = () => {
    const account = owner?.()
    return { [server.header('session')]: account === undefined ? 'console' : `console ${accountIdOf(account)}` }
  }
  const hint = 'Sign in again.'
  const retries = { ...(isRetried && { isRetried }), ...(signsInAgain && { signsInAgain }) }
  const caller: Caller = { ...callerOf(options, headers, hint), ...retries }
  const callConsole = async (name: string, data: object, by = caller, options: CallOptions = {}) =>
    (await call(by, name, `/console/${name}${/(get|list)$/.test(name) ? '' : ' once'}`, data, options)).data
  const callerOfKey = (apiKey: string) => {
    const ofKey = { [server.header('api-key')]: apiKey }
    return { ...callerOf(options, () => ({ ...headers(), ...ofKey }), hint), ...retries }
  }
  return {
    // No retries: a person is waiting, and must learn of a rate limit at once.
    signIn: async (data) => {
      const { signsInAgain: _, ...anybody } = caller
      return (await callConsole('session/start', data, anybody, { triesMax: 1 })) as SignedIn
    },
    whoIsSignedIn: async () => ((await callConsole('session/get', {})) as { signedIn?: SignedIn }).signedIn,
    signOut: async () => {
      await callConsole('session/end', {})
    },
    ownerOfLink: async (link) =>
      (await callConsole('link/get', { link }, caller, { triesMax: 1 })) as Awaited<ReturnType<Session['ownerOfLink']>>,
    checkFirstVisit: async (token) => {
      await callConsole('first-visit/get', { token }, caller, { triesMax: 1 })
    },
    createFirstWorkspace: async (data) =>
      (await callConsole('first-visit/create', data, caller, { triesMax: 1 })) as FirstWorkspace,
    findCompany: async (domain) =>
      ((await callConsole('oidc/find', { domain }, caller, { triesMax: 1 })) as { isFound: boolean }).isFound,
    deviceRequest: async (userCode) =>
      ((await callConsole('device/get', { userCode }, caller, { triesMax: 1 })) as { request?: DeviceRequest }).request,
    answerDeviceRequest: async (userCode, answer) =>
      ((await callConsole(`device/${answer}`, { userCode }, caller, { triesMax: 1 })) as { isAnswered: boolean })
        .isAnswered,
    sessions: async () => ((await callConsole('sessions/list', {})) as { sessions: ListedSession[] }).sessions,
    endSession: async (sessionId) => {
      await callConsole('sessions/end', { sessionId })
    },
    confirm: async (data) => {
      await callConsole('session/confirm', data, caller, { triesMax: 1 })
    },
    passkeyOptions: async (purpose) => {
      const name = { 'sign-in': 'passkeys/sign-in', confirm: 'session/challenge', register: 'passkeys/register' }[
        purpose
      ]
      return ((await callConsole(name, {})) as { options: object }).options
    },
    passkeys: async () => (await callConsole('passkeys/list', {})) as Awaited<ReturnType<Session['passkeys']>>,
    addPasskey: async (name, passkey) => {
      await callConsole('passkeys/add', { name, passkey })
    },
    removePasskey: async (passkeyId) => {
      await callConsole('passkeys/remove', { passkeyId })
    },
    workspace: methodsOf(caller, METHODS.workspace),
    overview: async (apiKey) => (await callConsole('overview/get', {}, callerOfKey(apiKey))) as Overview,
    mailStatus: async (apiKey) => (await callConsole('mail/get', {}, callerOfKey(apiKey))) as MailStatus,
    key: (apiKey) => clientOf(callerOfKey(apiKey)),
  }
}
