/**
 * Console sessions (ADR 0025, ADR 0043): a token or a one-time link is exchanged for a session that the server can end. A session has
 * no rights of its own: with each request its token is looked up again, or the role of its operator.
 */
import { randomBytes } from 'node:crypto'
import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import type { Scope } from '#contract/core/operation.ts'
import { createAuthTokens } from '#features/auth-tokens/shared.ts'
import { createOperators, createPasskeys } from '#features/operators/shared.ts'
import { createWorkspaceTokens } from '#features/workspace-tokens/shared.ts'
import type { SignedIn } from '#http/credentials/credentials.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { deleteOld } from '#platform/jobs/old-rows.ts'
import { repeatLater } from '#platform/jobs/repeat.ts'
import { isWellFormedToken, tokenHash } from '#platform/secrets/tokens.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import { DELETE_EXPIRED_DEVICE_AUTHORIZATIONS } from '../device/statements.ts'
import {
  DELETE_EXPIRED_SESSIONS,
  DELETE_SESSION,
  GET_SESSION,
  GET_WORKSPACE_NAME,
  INSERT_SESSION,
  RECORD_SESSION_USE,
  type SessionRow,
} from './statements.ts'

/** A working day. */
const TOKEN_SESSION_HOURS = 12

const SWEEP_INTERVAL_MS = 10 * 60_000
export const USER_AGENT_CHARACTERS_MAX = 300

/** The id of a workspace or of an API key, and its token. */
export type TokenSignIn = { token: string } & (
  | { workspaceId: string; apiKey?: undefined }
  | { apiKey: string; workspaceId?: undefined }
)

/** The account of a session, with the name of the workspace, or with the scopes of the auth token. */
export type Account = SignedIn & { workspaceName?: string | undefined; scopes?: readonly Scope[] }

/** Where a session is started. */
export interface Origin {
  address: string
  userAgent: string
}

/** The secret of a new session, for its cookie. */
export interface StartedSession {
  secret: string
  hours: number
}

export type Sessions = ReturnType<typeof startConsoleSessions>

/** Starts the sweep of expired sessions, challenges and device codes. */
export function startConsoleSessions({ db, buckets, log, use }: Kernel) {
  const workspaceTokens = use(createWorkspaceTokens)
  const operators = use(createOperators)
  const passkeys = use(createPasskeys)
  const stop = repeatLater(
    async (stopping) => {
      await deleteOld(db, DELETE_EXPIRED_SESSIONS, stopping)
      await passkeys.deleteExpired(stopping)
      await deleteOld(db, DELETE_EXPIRED_DEVICE_AUTHORIZATIONS, stopping)
    },
    { everyMs: SWEEP_INTERVAL_MS, log, failure: 'the sweep of console sessions failed; it will be retried' },
  )

  /**
   * Returns the account if the id and the token are valid together now, with the scopes of an auth token. An operator
   * was read with the session.
   */
  async function valid(signedIn: SignedIn): Promise<Account | undefined> {
    const { workspaceId, apiKeyId, tokenHash } = signedIn
    if (tokenHash === undefined) return signedIn
    if (workspaceId !== undefined)
      return (await workspaceTokens.lookUp(workspaceId, tokenHash)) === undefined ? undefined : signedIn
    const kernel = await buckets.kernelOf(apiKeyId)
    const found = await kernel.use(createAuthTokens).lookUp(apiKeyId, tokenHash)
    // A key that has moved since is no reason to sign anybody out.
    if (found === undefined && !(await buckets.isIn(apiKeyId, kernel.bucket))) return valid(signedIn)
    return found === undefined || found.disabled ? undefined : { ...signedIn, scopes: found.scopes }
  }

  return {
    /** Starts a session that stands for a token. */
    async startWithToken({ workspaceId, apiKey, token }: TokenSignIn, origin: Origin): Promise<StartedSession> {
      if (!isWellFormedToken(token)) throw credentialsInvalid()
      const hash = tokenHash(token)
      const signedIn: SignedIn =
        workspaceId === undefined
          ? { apiKeyId: apiKey as ApiKeyId, tokenHash: hash }
          : { workspaceId: workspaceId as WorkspaceId, tokenHash: hash }
      if ((await valid(signedIn)) === undefined) throw credentialsInvalid()
      return insertSession(db, { ...signedIn, hash }, origin, TOKEN_SESSION_HOURS)
    },

    /** Returns the account of a session; undefined if the session has expired or its credentials are no longer valid. */
    async find(secret: string): Promise<Account | undefined> {
      const signedIn = await lookUp(secret, 'browser')
      const account = signedIn && (await valid(signedIn))
      if (account?.workspaceId === undefined) return account
      const [workspace] = await db.run(GET_WORKSPACE_NAME, [account.workspaceId])
      return { ...account, workspaceName: workspace?.name }
    },

    lookUp: (secret: string) => lookUp(secret, 'browser'),

    /** Finds the session of a command line. A cookie never opens such a session, and a command line never the session of a browser. */
    lookUpCommandLine: (secret: string) => lookUp(secret, 'command line'),

    /** Ends a session on all servers. Returns undefined if there is none. */
    end: (secret: string): Promise<true | undefined> => endSession(db, secret),

    stop,
  }

  async function lookUp(secret: string, of: 'browser' | 'command line'): Promise<SignedIn | undefined> {
    const hash = tokenHash(secret)
    const [row] = await db.run(GET_SESSION, [hash, of === 'command line'])
    if (row === undefined) return undefined
    if (row.isUnrecorded) await recordUse(hash, row)
    return signedInOf(row)
  }

  /** Records the time of the call. If it fails, the session is valid all the same. */
  async function recordUse(hash: Buffer, { workspaceId, operatorId }: SessionRow): Promise<void> {
    try {
      await db.run(RECORD_SESSION_USE, [hash])
      if (operatorId !== null) await operators.recordSeen(db, workspaceId as WorkspaceId, operatorId)
    } catch (err) {
      log.warn({ err }, 'the use of a console session was not recorded')
    }
  }
}

/** Ends the session of a console or command line. Returns undefined if there is none. */
export const endSession = async (session: Session, secret: string): Promise<true | undefined> =>
  (await session.run(DELETE_SESSION, [tokenHash(secret)]))[0]?.ended

/** Inserts a session that ends after `hours` at the latest. */
export async function insertSession(
  session: Session,
  of: SessionOf,
  origin: Origin,
  hours: number,
): Promise<StartedSession> {
  const secret = randomBytes(32).toString('base64url')
  const { workspaceId = null, apiKeyId = null, hash = null, operatorId = null } = of
  const userAgent = origin.userAgent.toWellFormed().slice(0, USER_AGENT_CHARACTERS_MAX)
  const values = [tokenHash(secret), workspaceId, apiKeyId, hash, operatorId, userAgent, hours, origin.address]
  await session.run(INSERT_SESSION, values)
  return { secret, hours }
}

interface SessionOf {
  workspaceId?: WorkspaceId | undefined
  apiKeyId?: ApiKeyId | undefined
  hash?: Buffer
  operatorId?: string
}

function signedInOf(row: SessionRow): SignedIn {
  const { operatorId, operatorName, operatorEmail, operatorRole, tokenHash: hash, isFresh } = row
  const [workspaceId, apiKeyId] = [row.workspaceId as WorkspaceId | null, row.apiKeyId as ApiKeyId | null]
  if (operatorId !== null && operatorRole !== null && workspaceId !== null) {
    const [name, email] = [operatorName ?? '', operatorEmail ?? '']
    return { workspaceId, operator: { id: operatorId, name, email, role: operatorRole, isFresh } }
  }
  if (hash === null) throw new Error('a console session has neither a token nor an operator')
  return workspaceId === null ? { apiKeyId: apiKeyId as ApiKeyId, tokenHash: hash } : { workspaceId, tokenHash: hash }
}
