/** Console sessions of operators who sign in with an OpenID Connect provider (rules/operators.md#single-sign-on). */
import { randomBytes } from 'node:crypto'
import type { WorkspaceId } from '#contract/ids.ts'
import { createOperators, type ProvisionedOperator } from '#features/operators/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { tokenHash } from '#platform/tokens.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { INSERT_SESSION } from './session-statements.ts'
import { type Origin, type StartedSession, USER_AGENT_CHARACTERS_MAX } from './sessions.ts'

/** A working day: whoever has left the company is asked of the provider again the next day. */
const OIDC_SESSION_HOURS = 12

export function createOidcSessions({ use }: Pick<Kernel, 'use'>) {
  const operators = use(createOperators)

  /** Starts a session in a transaction that has locked the workspace and admitted the operator. */
  return async (
    session: Session,
    workspaceId: WorkspaceId,
    { id, name }: ProvisionedOperator,
    { address, userAgent }: Origin,
  ): Promise<StartedSession> => {
    const secret = randomBytes(32).toString('base64url')
    const agent = userAgent.toWellFormed().slice(0, USER_AGENT_CHARACTERS_MAX)
    const values = [tokenHash(secret), workspaceId, null, null, id, agent, OIDC_SESSION_HOURS, address]
    await session.run(INSERT_SESSION, values)
    await operators.recordSeen(session, workspaceId, id)
    const actor = { operator: { id, name }, address }
    const after = { operatorId: id, method: 'oidc' }
    await recordStreamEvents(session, [{ type: 'operator.signed_in', workspaceId, actor, after }])
    return { secret, hours: OIDC_SESSION_HOURS }
  }
}
