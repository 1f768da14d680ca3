/** Changes a workspace: one transaction that locks its row before anything else. */
import type { WorkspaceId } from '#contract/ids.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { inTurn } from './turns.ts'

export const LOCK_WORKSPACE = statement<never>(
  'workspaces.lock',
  'select from workspaces where workspace_id = $1 for no key update',
)

/** Runs `work` while the row of the workspace is locked: nobody else can change its tokens, or add production keys. */
export const changeWorkspace = <T>(
  db: Db,
  { workspaceId }: { workspaceId: WorkspaceId },
  work: (session: Session) => Promise<T>,
): Promise<T> =>
  inTurn(db, { keys: [workspaceId], tenant: workspaceId, line: 'short' }, () =>
    db.transaction(async (session) => {
      await session.run(LOCK_WORKSPACE, [workspaceId])
      return work(session)
    }),
  )
