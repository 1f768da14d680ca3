/** Checks, lists, creates, resets and revokes the tokens of a workspace (rules/keys.md#workspace-tokens). */
import type { WorkspaceId } from '#contract/ids.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf } from '#contract/operation.ts'
import type {
  createWorkspaceToken,
  NewWorkspaceToken,
  resetWorkspaceToken,
  revokeWorkspaceToken,
  WorkspaceToken,
} from '#contract/workspace-tokens.ts'
import type { CredentialLookups } from '#http/authenticate.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import type { SealContext, Sealer } from '#platform/seal.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import { createToken, tokenHash } from '#platform/tokens.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events/record.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import { changeWorkspace } from '#tenancy/writes/workspace.ts'
import { lastToken, tokenDoesNotExist, tooManyTokens } from './refusals.ts'
import {
  CHECK_WORKSPACE_TOKENS,
  COUNT_WORKSPACE_TOKENS,
  EXPIRE_LOGIN_LINKS,
  GET_SEALED,
  GET_WORKSPACE_TOKENS,
  INSERT_WORKSPACE_TOKEN,
  IS_VALID,
  RECORD_USE,
  RESET_WORKSPACE_TOKENS,
  REVOKE_WORKSPACE_TOKEN,
  type WorkspaceTokenRow,
} from './statements.ts'

/** The name of the token with which a workspace is created, and of one that replaces all. */
const DEFAULT_NAME = 'workspace'

export interface WorkspaceTokensDeps {
  db: Db
  sealer: Sealer
  log: Log
}

export type WorkspaceTokens = ReturnType<typeof createWorkspaceTokens>

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
    name = DEFAULT_NAME,
    expiresAt?: number,
  ): Promise<NewWorkspaceToken> {
    const token = createToken('chw_')
    const until = expiresAt === undefined ? null : new Date(expiresAt * 1000)
    const values = [tokenHash(token), workspaceId, name, sealer.seal(token, sealContext(workspaceId)), until]
    const [row] = await session.run(INSERT_WORKSPACE_TOKEN, values)
    if (row === undefined) throw new Error('the workspace token was not inserted')
    return { ...recordOf(row), token }
  }

  /** Adds one more token with its event, likewise. Throws RESOURCE_EXHAUSTED if the workspace has the maximum number. */
  async function add(
    session: Session,
    by: Pick<WorkspaceCaller, 'workspaceId' | 'actor'>,
    { name, expiresAt }: DataOf<typeof createWorkspaceToken>,
  ): Promise<NewWorkspaceToken> {
    const { workspaceId } = by
    const [counted] = await session.runSet(COUNT_WORKSPACE_TOKENS, [{ workspaceId }])
    if ((counted?.count ?? 0) >= LIMITS.workspaceTokensMax) throw tooManyTokens()
    const created = await insert(session, workspaceId, name, expiresAt)
    await record(session, by, {
      type: 'workspace_token.created',
      after: { id: created.id, name, ...(expiresAt === undefined ? {} : { expiresAt }) },
    })
    return created
  }

  /** Returns the secret of the caller's token. */
  async function ofCaller(session: Session, { workspaceId, tokenId }: TokenOfWorkspace): Promise<string> {
    const [found] = await session.run(GET_SEALED, [workspaceId, tokenId])
    if (found === undefined) throw credentialsInvalid()
    return sealer.open(found.sealed, sealContext(workspaceId))
  }

  /** Locks the workspace. A caller whose token was revoked meanwhile is refused: a stolen token cannot outlive its reset by making another. */
  const change = <T>(caller: WorkspaceCaller, work: (session: Session) => Promise<T>): Promise<T> =>
    changeWorkspace(db, caller, async (session) => {
      const { workspaceId, tokenId } = caller
      const [found] = await session.runSet(IS_VALID, [{ workspaceId, tokenId }])
      if (found?.isValid !== true) throw credentialsInvalid()
      return work(session)
    })

  const record = (
    session: Session,
    { workspaceId, actor }: Pick<WorkspaceCaller, 'workspaceId' | 'actor'>,
    event: Pick<StreamEvent, 'type' | 'before' | 'after'>,
  ) => recordStreamEvents(session, [{ ...event, workspaceId, actor }])

  return {
    lookUp,
    insert,

    ofCaller,

    getCurrent: async (caller: WorkspaceCaller) => ({ authToken: await ofCaller(db, caller) }),

    async get({ workspaceId, tokenId }: WorkspaceCaller): Promise<{ tokens: WorkspaceToken[] }> {
      const rows = await db.runSet(GET_WORKSPACE_TOKENS, [{ workspaceId }])
      return {
        tokens: rows.map((row) => ({
          ...recordOf(row),
          ...(row.lastUsedAt === null ? {} : { lastUsedAt: row.lastUsedAt.getTime() }),
          current: row.id === tokenId,
        })),
      }
    },

    add,

    create: (caller: WorkspaceCaller, data: DataOf<typeof createWorkspaceToken>) =>
      change(caller, (session) => add(session, caller, data)),

    reset: (caller: WorkspaceCaller, { gracePeriodSeconds = 0 }: DataOf<typeof resetWorkspaceToken>) =>
      change(caller, async (session): Promise<NewWorkspaceToken> => {
        const { workspaceId } = caller
        await session.runSet(RESET_WORKSPACE_TOKENS, [{ workspaceId, gracePeriodSeconds }])
        await session.runSet(EXPIRE_LOGIN_LINKS, [{ workspaceId }])
        const created = await insert(session, workspaceId)
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

type TokenOfWorkspace = Pick<WorkspaceCaller, 'workspaceId' | 'tokenId'>

/** The column that held the one token of a workspace before there were several; the context of a sealed value cannot change. */
const sealContext = (workspaceId: string): SealContext => ({ column: 'workspaces.token_sealed', row: workspaceId })

const recordOf = ({ id, name, createdAt, expiresAt }: WorkspaceTokenRow) => ({
  id,
  name,
  createdAt: createdAt.getTime(),
  ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
})
