/**
 * Decides which operator an account at a provider is, and their role (rules/operators.md#single-sign-on). Runs under
 * the lock of the workspace.
 */
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import {
  addOperator,
  findOperator,
  findOperatorByEmail,
  type ProvisionedOperator,
  setRole,
} from '#features/operators/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { StatusError } from '#platform/status-error.ts'
import { type Account, roleFor } from './account.ts'
import type { ActiveConfig } from './config.ts'
import { SignInFailed } from './failure.ts'
import { ADD_IDENTITY, FIND_IDENTITY, FIND_PROVIDER_OF_ROLE, HAS_IDENTITY, RECORD_ROLE_OF_RULE } from './statements.ts'

interface Admission {
  workspaceId: WorkspaceId
  config: Pick<ActiveConfig, 'issuer' | 'roles'>
  account: Account
  /** The IP address of the browser. */
  address: string
}

/** Returns the operator of an account; adds one if a rule gives the account a role. Throws `SignInFailed` if nothing admits it. */
export async function admit(session: Session, admission: Admission): Promise<ProvisionedOperator> {
  const { workspaceId, config, account, address } = admission
  const role = roleFor(config.roles, account)
  const known = await findKnown(session, admission, role)
  const operator = known ?? (await connect(session, admission, role))
  const has = role === undefined ? operator.role : await setRole(session, workspaceId, operator, role, address)
  // Also if the operator became an owner after the account was connected, or is the last owner.
  if (has === 'owner' && role !== 'owner') throw new SignInFailed('is_owner')
  return operator
}

/** Returns the operator who has signed in with the account before. */
async function findKnown(
  session: Session,
  { workspaceId, config: { issuer }, account: { subject } }: Admission,
  role: OperatorRole | undefined,
): Promise<ProvisionedOperator | undefined> {
  const [identity] = await session.run(FIND_IDENTITY, [workspaceId, issuer, subject])
  if (identity === undefined) return undefined
  // A rule gave the role, and no rule does now: the account has left the group.
  if (role === undefined && identity.hasRoleOfRule) throw new SignInFailed('not_admitted')
  if (role !== undefined) await session.run(RECORD_ROLE_OF_RULE, [workspaceId, issuer, subject])
  return findOperator(session, workspaceId, identity.operatorId)
}

/** Connects the account with the operator who has its address, or with a new one. */
async function connect(
  session: Session,
  { workspaceId, config: { issuer }, account, address }: Admission,
  role: OperatorRole | undefined,
): Promise<ProvisionedOperator> {
  const { subject, email, name = email } = account
  if (email === undefined || name === undefined) throw new SignInFailed('email_unverified')
  const invited = await findOperatorByEmail(session, workspaceId, email)
  if (invited !== undefined) await requireFree(session, { workspaceId, issuer, operator: invited, role })
  else if (role === undefined) throw new SignInFailed('not_admitted')
  const operator = invited ?? (role && (await addOperator(session, workspaceId, { email, name, role }, address)))
  if (operator === undefined) throw new SignInFailed('too_many')
  await session.run(ADD_IDENTITY, [workspaceId, issuer, subject, operator.id, role !== undefined])
  return operator
}

/**
 * Refuses an operator who has another account at the provider: the address may belong to another person now. Refuses an owner
 * unless a rule makes the account an owner: a person who manages the provider must not become owner without an owner's
 * decision.
 */
async function requireFree(
  session: Session,
  {
    workspaceId,
    issuer,
    operator,
    role,
  }: { workspaceId: WorkspaceId; issuer: string; operator: ProvisionedOperator; role: OperatorRole | undefined },
): Promise<void> {
  const [other] = await session.run(HAS_IDENTITY, [workspaceId, operator.id, issuer])
  if (other !== undefined) throw new SignInFailed('other_account')
  if (operator.role === 'owner' && role !== 'owner') throw new SignInFailed('is_owner')
}

/**
 * Refuses another way to sign in to an operator whose role comes from a rule: who leaves the company loses the account at the
 * provider, and would keep passkeys and mail.
 */
export async function requireNoProvider(
  session: Session,
  { workspaceId, operatorId }: { workspaceId: WorkspaceId; operatorId: string },
): Promise<void> {
  const [found] = await session.run(FIND_PROVIDER_OF_ROLE, [workspaceId, operatorId])
  if (found !== undefined)
    throw new StatusError(
      'PERMISSION_DENIED',
      'company_sign_in_required',
      'Your role in this workspace comes from your account at your company. Sign in with your company.',
    )
}
