/** Changes a workspace: one transaction that locks its row before anything else. */
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import { isAtLeast, LEAST_FOR_SECRETS, type OperatorRole } from '#contract/workspace/operator-roles.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { WorkspaceCaller } from '../callers/caller.ts'
import { TOKEN_VALID } from '../callers/token-records.ts'
import { roleNotEnough, tokenIsReplaced } from '../refusals.ts'
import { inTurn } from './turns.ts'

export const LOCK_WORKSPACE = statement<never>(
  'workspaces.lock',
  'select from workspaces where workspace_id = $1 for no key update',
)

export const HOLD_WORKSPACE = statement<never>(
  'workspaces.hold',
  'select from workspaces where workspace_id = $1 for share',
)

interface CallerRow {
  workspaceId: string
  tokenId: string | null
  operatorId: string | null
}

interface CheckedCaller {
  /** Whether the token of the caller is valid now. */
  isValid: boolean
  /** Whether a reset has replaced the token. */
  isReplaced: boolean
  /** The role of the operator now. */
  role: OperatorRole | null
}

/** Reads the credentials of a caller again. Runs under the lock of the workspace. */
export const CHECK_CALLER = setStatement<CallerRow, CheckedCaller>(
  'workspaces.check-caller',
  { workspaceId: 'text', tokenId: 'uuid', operatorId: 'uuid' },
  /* sql */ `
  select coalesce(${TOKEN_VALID} and t.token_hash is not null, false) as "isValid",
         t.replaced_at is not null as "isReplaced", o.role
    from $input
    left join workspace_tokens t on t.workspace_id = item.workspace_id and t.workspace_token_id = item.token_id
    left join operators o on o.workspace_id = item.workspace_id and o.operator_id = item.operator_id`,
)

/** Runs `work` while the row of the workspace is locked: nobody else can change its tokens or operators, or add production keys. */
export const changeWorkspace = <T>(
  db: Db,
  { workspaceId }: { workspaceId: WorkspaceId },
  work: (session: Session) => Promise<T>,
): Promise<T> =>
  inTurn(db, { keys: [workspaceId], tenant: workspaceId, queue: 'short' }, () =>
    db.transaction(async (session) => {
      await session.run(LOCK_WORKSPACE, [workspaceId])
      return work(session)
    }),
  )

/**
 * Does the same for calls that manage access to the workspace: its tokens, operators and single sign-on. A caller whose
 * token was revoked in the meantime is refused, and so is an operator who was removed or now has a lower role than
 * `least`: nobody who lost access can regain it by a call in progress. A token in the grace period of a reset is
 * refused too: its access would outlive that period by the tokens or operators that it creates
 * (rules/keys.md#workspace-tokens).
 */
export const changeAccess = <T>(
  db: Db,
  caller: WorkspaceCaller,
  least: OperatorRole,
  work: (session: Session, role: OperatorRole) => Promise<T>,
): Promise<T> =>
  changeWorkspace(db, caller, async (session) => {
    const { workspaceId, tokenId = null, operator } = caller
    const [found] = await session.runSet(CHECK_CALLER, [{ workspaceId, tokenId, operatorId: operator?.id ?? null }])
    if (found?.isValid && found.isReplaced) throw tokenIsReplaced()
    const role = roleOf(found)
    requireRole(role, least)
    return work(session, role)
  })

/** Returns the role that a caller has now: a token has that of owners. */
function roleOf(found: CheckedCaller | undefined): OperatorRole {
  const role = found?.isValid ? 'owner' : found?.role
  if (role === undefined || role === null) throw credentialsInvalid()
  return role
}

function requireRole(role: OperatorRole, least: OperatorRole): void {
  if (!isAtLeast(role, least)) throw roleNotEnough(role, least)
}

/**
 * Refuses a caller whose token was revoked in the meantime, or an operator who was removed, and holds the workspace
 * until the transaction ends. So when a reset has returned, no call in progress can add a secret of an API key. Runs
 * after the lock of the key. Returns a function that refuses an operator who now has a lower role than a call that adds
 * or ends secrets needs for a key of a type.
 */
export async function holdCaller(session: Session, caller: WorkspaceCaller): Promise<(type: KeyType) => void> {
  const { workspaceId, tokenId = null, operator } = caller
  await session.run(HOLD_WORKSPACE, [workspaceId])
  const [found] = await session.runSet(CHECK_CALLER, [{ workspaceId, tokenId, operatorId: operator?.id ?? null }])
  const role = roleOf(found)
  return (type) => requireRole(role, LEAST_FOR_SECRETS[type])
}
