/**
 * Adds operators, and changes their roles, for single sign-on (rules/operators.md#single-sign-on), in transactions that
 * have locked the workspace.
 */
import type { WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import type { Session } from '#platform/db/db.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { operatorInEvent } from './operations.ts'
import {
  COUNT_OPERATORS,
  FIND_BY_EMAIL,
  GET_OPERATOR,
  INSERT_OPERATOR,
  type OperatorRow,
  UPDATE_OPERATOR,
} from './statements.ts'

export type ProvisionedOperator = Pick<OperatorRow, 'id' | 'email' | 'name' | 'role'>

/** `address` is that from which the operator signs in: they cause the change themselves. */
const actorOf = ({ id, name }: ProvisionedOperator, address: string) => ({ operator: { id, name }, address })

export async function findOperator(
  session: Session,
  workspaceId: WorkspaceId,
  operatorId: string,
): Promise<ProvisionedOperator | undefined> {
  const [found] = await session.run(GET_OPERATOR, [workspaceId, operatorId])
  return found
}

export async function findOperatorByEmail(
  session: Session,
  workspaceId: WorkspaceId,
  email: string,
): Promise<ProvisionedOperator | undefined> {
  const [found] = await session.run(FIND_BY_EMAIL, [workspaceId, email])
  return found
}

/** Returns undefined if the workspace has the maximum number of operators. */
export async function addOperator(
  session: Session,
  workspaceId: WorkspaceId,
  { email, name, role }: { email: string; name: string; role: OperatorRole },
  address: string,
): Promise<ProvisionedOperator | undefined> {
  const [counted] = await session.run(COUNT_OPERATORS, [workspaceId])
  if ((counted?.all ?? 0) >= LIMITS.operatorsPerWorkspaceMax) return undefined
  const [inserted] = await session.run(INSERT_OPERATOR, [workspaceId, email, name, role, null])
  if (inserted === undefined) throw new Error('the operator was not inserted')
  const operator = { id: inserted.id, email, name, role }
  const after = operatorInEvent(operator)
  await recordStreamEvents(session, [{ type: 'operator.added', workspaceId, actor: actorOf(operator, address), after }])
  return operator
}

/** Gives an operator another role, and returns the role that they have then: the last owner keeps theirs. */
export async function setRole(
  session: Session,
  workspaceId: WorkspaceId,
  operator: ProvisionedOperator,
  role: OperatorRole,
  address: string,
): Promise<OperatorRole> {
  if (operator.role === role) return role
  const [counted] = await session.run(COUNT_OPERATORS, [workspaceId])
  if (operator.role === 'owner' && (counted?.owners ?? 0) < 2) return operator.role
  const [stored] = await session.run(GET_OPERATOR, [workspaceId, operator.id])
  if (stored === undefined) throw new Error('the operator is not there')
  await session.run(UPDATE_OPERATOR, [workspaceId, operator.id, stored.name, role, stored.invitedBy])
  const [before, after] = [operatorInEvent(operator), operatorInEvent({ ...operator, role })]
  const actor = actorOf(operator, address)
  await recordStreamEvents(session, [{ type: 'operator.updated', workspaceId, actor, before, after }])
  return role
}
