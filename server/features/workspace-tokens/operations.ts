/** Checks, lists, creates, resets and revokes the tokens of a workspace (rules/keys.md#workspace-tokens). */

import type { WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { TokenOrigin } from '#contract/keys/auth-tokens.ts'
import type {
  createWorkspaceToken,
  NewWorkspaceToken,
  resetWorkspaceToken,
  revokeWorkspaceToken,
  WorkspaceToken,
} from '#contract/workspace/workspace-tokens.ts'
import type { CredentialLookups } from '#http/credentials/credentials.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import type { SealContext, Sealer } from '#platform/secrets/seal.ts'
import { createToken, tokenHash } from '#platform/secrets/tokens.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { originOf, tokenRecord } from '#tenancy/callers/token-records.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events/record.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import { changeAccess } from '#tenancy/writes/workspace.ts'
import { lastToken, noToken, tokenDoesNotExist, tooManyTokens } from './refusals.ts'
import {
  CHECK_WORKSPACE_TOKENS,
  COUNT_WORKSPACE_TOKENS,
  EXPIRE_LOGIN_LINKS,
  GET_SEALED,
  GET_WORKSPACE_TOKENS,
  INSERT_WORKSPACE_TOKEN,
  RECORD_USE,
  RESET_WORKSPACE_TOKENS,
  REVOKE_WORKSPACE_TOKEN,
} from './statements.ts'

/** The name of the first token of a workspace, and of a token that replaces all others. */
const DEFAULT_NAME = 'workspace'

export interface WorkspaceTokensDeps {
  db: Db
  sealer: Sealer
  log: Log
}

export function createWorkspaceTokens({ db, sealer, log }: WorkspaceTokensDeps) {
  const tokenChecks = coalescedReads(db, CHECK_WORKSPACE_TOKENS, {
    keyOf: ({ workspaceId, tokenHash }) => `${workspaceId} ${tokenHash.toString('base64')}`,
  })

  const lookUp: CredentialLookups['workspace'] = async (workspaceId, hash) => {
    const [found] = await tokenChecks.run([{ workspaceId, tokenHash: hash }], workspaceId)
    if (found === undefined) return undefined
    const { isUnrecorded, tokenId, tokenName } = found
    if (isUnrecorded) await recordUse(tokenId, hash)
    return { tokenId, tokenName }
  }

  const recording = new Set<string>()

  /** Records the time of use, once for concurrent calls. If it fails, the token is valid all the same. */
  async function recordUse(tokenId: string, hash: Buffer): Promise<void> {
    if (recording.has(tokenId)) return
    recording.add(tokenId)
    try {
      await db.runSet(RECORD_USE, [{ tokenHash: hash }])
    } catch (err) {
      log.warn({ err }, 'the use of a workspace token was not recorded')
    } finally {
      recording.delete(tokenId)
    }
  }

  /** Adds a token in a transaction that has locked the workspace, or has just created it. */
  async function insert(
    session: Session,
    workspaceId: WorkspaceId,
    { name = DEFAULT_NAME, expiresAt, origin }: NewToken,
  ): Promise<NewWorkspaceToken> {
    const token = createToken('chw_')
    const until = expiresAt === undefined ? null : new Date(expiresAt * 1000)
    const values = [tokenHash(token), workspaceId, name, sealer.seal(token, sealContext(workspaceId)), until]
    const [row] = await session.run(INSERT_WORKSPACE_TOKEN, [...values, JSON.stringify(origin)])
    if (row === undefined) throw new Error('the workspace token was not inserted')
    return { ...tokenRecord(row, token), token }
  }

  /** Returns the secret of the caller's token; undefined for an operator, who has none. */
  async function ofCaller(session: Session, { workspaceId, tokenId }: WorkspaceCaller): Promise<string | undefined> {
    if (tokenId === undefined) return undefined
    const [found] = await session.run(GET_SEALED, [workspaceId, tokenId])
    if (found === undefined) throw credentialsInvalid()
    return sealer.open(found.sealed, sealContext(workspaceId))
  }

  /**
   * Locks the workspace, and checks the caller again: a stolen token cannot outlive its reset by making another. A
   * token may do everything, so it belongs to owners.
   */
  const change = <T>(caller: WorkspaceCaller, work: (session: Session) => Promise<T>): Promise<T> =>
    changeAccess(db, caller, 'owner', work)

  const record = (
    session: Session,
    { workspaceId, actor }: WorkspaceCaller,
    event: Pick<StreamEvent, 'type' | 'before' | 'after'>,
  ) => recordStreamEvents(session, [{ ...event, workspaceId, actor }])

  return {
    lookUp,
    insert,

    ofCaller,

    async getCurrent(caller: WorkspaceCaller): Promise<{ authToken: string }> {
      const authToken = await ofCaller(db, caller)
      if (authToken === undefined) throw noToken()
      await record(db, caller, { type: 'workspace_token.shown', after: { id: caller.tokenId } })
      return { authToken }
    },

    async get({ workspaceId, tokenId }: WorkspaceCaller): Promise<{ tokens: WorkspaceToken[] }> {
      const rows = await db.runSet(GET_WORKSPACE_TOKENS, [{ workspaceId }])
      return {
        tokens: rows.map((row) => ({
          ...tokenRecord(row, sealer.open(row.sealed, sealContext(workspaceId))),
          current: row.id === tokenId,
        })),
      }
    },

    create: (caller: WorkspaceCaller, { name, expiresAt }: DataOf<typeof createWorkspaceToken>) =>
      change(caller, async (session): Promise<NewWorkspaceToken> => {
        const { workspaceId } = caller
        const [counted] = await session.runSet(COUNT_WORKSPACE_TOKENS, [{ workspaceId }])
        if ((counted?.count ?? 0) >= LIMITS.workspaceTokensMax) throw tooManyTokens()
        const created = await insert(session, workspaceId, {
          name,
          expiresAt,
          origin: originOf('created', caller.actor),
        })
        await record(session, caller, {
          type: 'workspace_token.created',
          after: { id: created.id, name, ...(expiresAt === undefined ? {} : { expiresAt }) },
        })
        return created
      }),

    reset: (caller: WorkspaceCaller, { gracePeriodSeconds = 0 }: DataOf<typeof resetWorkspaceToken>) =>
      change(caller, async (session): Promise<NewWorkspaceToken> => {
        const { workspaceId } = caller
        await session.runSet(RESET_WORKSPACE_TOKENS, [{ workspaceId, gracePeriodSeconds }])
        await session.runSet(EXPIRE_LOGIN_LINKS, [{ workspaceId }])
        const created = await insert(session, workspaceId, { origin: originOf('replaced_others', caller.actor) })
        const { id, name } = created
        await record(session, caller, { type: 'workspace_token.reset', after: { id, name, gracePeriodSeconds } })
        return created
      }),

    revoke: (caller: WorkspaceCaller, { tokenId }: DataOf<typeof revokeWorkspaceToken>) =>
      change(caller, async (session): Promise<void> => {
        const { workspaceId } = caller
        const [token] = await session.runSet(REVOKE_WORKSPACE_TOKEN, [{ workspaceId, tokenId }])
        if (token === undefined) throw tokenDoesNotExist()
        const { id, name, wasValid, isLast } = token
        if (isLast) throw lastToken()
        if (wasValid) await record(session, caller, { type: 'workspace_token.revoked', before: { id, name } })
      }),

    coalescers: [tokenChecks],
  }
}

/** The column that held the one token of a workspace before there were several; the context of a sealed value cannot change. */
const sealContext = (workspaceId: string): SealContext => ({ column: 'workspaces.token_sealed', row: workspaceId })

interface NewToken {
  name?: string
  /** Unix seconds. */
  expiresAt?: number | undefined
  origin: TokenOrigin
}
