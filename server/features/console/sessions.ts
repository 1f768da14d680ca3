/**
 * Console sessions (ADR 0025): a secret is exchanged for a session that the server can end. A session has no rights of its
 * own; the credentials it was exchanged for are checked again with each request.
 */
import { randomBytes } from 'node:crypto'
import type { ApiKeyId, WorkspaceId } from '#contract/ids.ts'
import { SCOPES } from '#contract/operation.ts'
import { createAuthTokens } from '#features/auth-tokens/shared.ts'
import { createLoginLinks } from '#features/login-links/shared.ts'
import { createWorkspaceTokens } from '#features/workspace-tokens/shared.ts'
import type { SignedIn } from '#http/authenticate.ts'
import type { Kernel } from '#kernel'
import { repeat } from '#platform/repeat.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import { isWellFormedToken, tokenHash } from '#platform/tokens.ts'
import type { SignIn } from './routes.ts'
import {
  DELETE_EXPIRED_SESSIONS,
  DELETE_SESSION,
  GET_SESSION,
  GET_WORKSPACE_KEY,
  INSERT_SESSION,
} from './session-statements.ts'

/** A working day; then users must sign in again. */
const SESSION_HOURS = 12

const SWEEP_INTERVAL_MS = 10 * 60_000

/** Starts the sweep of expired sessions. */
export function startConsoleSessions({ db, log, use }: Kernel) {
  const authTokens = use(createAuthTokens)
  const workspaceTokens = use(createWorkspaceTokens)
  const loginLinks = use(createLoginLinks)
  const stop = repeat(
    async (stopping) => {
      while (!stopping.aborted && ((await db.run(DELETE_EXPIRED_SESSIONS))[0]?.count ?? 0) > 0);
    },
    { everyMs: SWEEP_INTERVAL_MS, log, failure: 'the sweep of console sessions failed; it will be retried' },
  )

  /** Returns whether the id and the token are valid together now. */
  async function isValid({ workspaceId, apiKeyId, tokenHash }: SignedIn): Promise<boolean> {
    if (workspaceId !== undefined) return (await workspaceTokens.lookUp(workspaceId, tokenHash)) !== undefined
    const found = await authTokens.lookUp(apiKeyId, tokenHash)
    return found !== undefined && !found.disabled
  }

  return {
    hours: SESSION_HOURS,

    /** Creates a session; returns the secret for the cookie. */
    async start({ workspaceId, apiKey, token }: SignIn): Promise<string> {
      if (!isWellFormedToken(token)) throw credentialsInvalid()
      const hash = tokenHash(token)
      const signedIn: SignedIn =
        workspaceId === undefined
          ? { apiKeyId: apiKey as ApiKeyId, tokenHash: hash }
          : { workspaceId: workspaceId as WorkspaceId, tokenHash: hash }
      if (!(await isValid(signedIn))) throw credentialsInvalid()
      const secret = randomBytes(32).toString('base64url')
      const { workspaceId: workspace = null, apiKeyId = null } = signedIn
      await db.run(INSERT_SESSION, [tokenHash(secret), workspace, apiKeyId, hash, SESSION_HOURS])
      return secret
    },

    /** Uses up a link that was sent by mail; returns the workspace that it was for. The token that replaces it expires with the session. */
    async startWithLink(link: string, address: string): Promise<{ secret: string; workspaceId: WorkspaceId }> {
      const secret = randomBytes(32).toString('base64url')
      const by = { hours: SESSION_HOURS, address }
      const workspaceId = await loginLinks.exchange(link, by, async (session, { workspaceId, token }) => {
        await session.run(INSERT_SESSION, [tokenHash(secret), workspaceId, null, tokenHash(token), SESSION_HOURS])
        return workspaceId
      })
      return { secret, workspaceId }
    },

    /** Returns the account of a session; undefined if the session has expired or its credentials are no longer valid. */
    async find(secret: string): Promise<SignedIn | undefined> {
      const signedIn = await lookUp(secret)
      return signedIn !== undefined && (await isValid(signedIn)) ? signedIn : undefined
    },

    lookUp,

    /** Returns an API key for a caller with the credentials of its workspace: with every scope, because they can read its auth tokens. */
    async keyOfWorkspace(workspaceId: WorkspaceId, apiKeyId: ApiKeyId) {
      const [key] = await db.run(GET_WORKSPACE_KEY, [workspaceId, apiKeyId])
      return key === undefined ? undefined : { apiKeyId, workspaceId, scopes: [...SCOPES], ...key }
    },

    /** Ends a session on all servers. */
    async end(secret: string): Promise<void> {
      await db.run(DELETE_SESSION, [tokenHash(secret)])
    },

    stop,
  }

  async function lookUp(secret: string): Promise<SignedIn | undefined> {
    const [row] = await db.run(GET_SESSION, [tokenHash(secret)])
    if (row === undefined) return undefined
    const { workspaceId, apiKeyId, tokenHash: hash } = row
    return workspaceId === null
      ? { apiKeyId: apiKeyId as ApiKeyId, tokenHash: hash }
      : { workspaceId: workspaceId as WorkspaceId, tokenHash: hash }
  }
}
