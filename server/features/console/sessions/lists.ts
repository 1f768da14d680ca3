/** Lists and ends the console sessions of a workspace: operators their own sessions, admins and owners all sessions. */
import { isAtLeast } from '#contract/workspace/operator-roles.ts'
import type { Db } from '#platform/db/db.ts'
import { tokenHash } from '#platform/secrets/tokens.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeWorkspace } from '#tenancy/writes/workspace.ts'
import { DELETE_LISTED_SESSION, LIST_SESSIONS, type ListedSessionRow } from './statements.ts'

/** Returns whose sessions a caller may see and end; null: all of the workspace. */
const whose = ({ operator }: WorkspaceCaller): string | null =>
  operator === undefined || isAtLeast(operator.role, 'admin') ? null : operator.id

export type SessionLists = ReturnType<typeof createSessionLists>

export const createSessionLists = ({ db }: { db: Db }) => ({
  /** `secret` is the secret of the caller's own session. */
  async list(caller: WorkspaceCaller, secret: string) {
    const rows = await db.run(LIST_SESSIONS, [caller.workspaceId, whose(caller), tokenHash(secret)])
    return { sessions: rows.map(sessionOf) }
  },

  /**
   * Ends a session; one that does not exist has ended. Locks the workspace, as the approval of a command line does:
   * otherwise an approval at the same time would not be withdrawn.
   */
  async end(caller: WorkspaceCaller, sessionId: string): Promise<void> {
    const { workspaceId, actor } = caller
    await changeWorkspace(db, caller, async (session) => {
      const [ended] = await session.run(DELETE_LISTED_SESSION, [workspaceId, sessionId, whose(caller)])
      if (ended === undefined) return
      const before = { sessionId, ...(ended.operatorId === null ? {} : { operatorId: ended.operatorId }) }
      await recordStreamEvents(session, [{ type: 'operator.session_ended', workspaceId, actor, before }])
    })
  },
})

const sessionOf = ({
  operatorId,
  operatorName,
  tokenName,
  machine,
  createdAt,
  lastSeenAt,
  endsAt,
  ...row
}: ListedSessionRow) => ({
  ...row,
  ...(machine === null ? {} : { machine }),
  ...(operatorId === null ? { token: tokenName } : { operator: { id: operatorId, name: operatorName } }),
  createdAt: createdAt.getTime(),
  lastSeenAt: lastSeenAt.getTime(),
  endsAt: endsAt.getTime(),
})
