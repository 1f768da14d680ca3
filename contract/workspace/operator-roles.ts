/**
 * What the operators of a workspace may do, by role: the only such table (rules/operators.md#roles). It follows from the
 * properties of an operation. The server applies it to the console sessions of operators; it does not apply to tokens.
 */
import { type Operation, writes } from '../core/operation.ts'

/** The roles in the order of their rights: each role also has the rights of the roles before it. */
export const OPERATOR_ROLES = ['support', 'developer', 'admin', 'owner'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** The least role that may call an operation, by the type of the API key that the call is about. */
export interface LeastRoles {
  testing: OperatorRole
  production: OperatorRole
}

const always = (role: OperatorRole): LeastRoles => ({ testing: role, production: role })

/** Reads of data that is not secret. */
export const LEAST_TO_READ = always('support')

/** Calls that add or end secrets of API keys, and the keys themselves. */
export const LEAST_FOR_SECRETS: LeastRoles = { testing: 'developer', production: 'admin' }

/** Operations on tokens of the workspace, each of which may do everything. */
const isOfWorkspaceTokens = ({ name }: Operation): boolean => /^(workspace-tokens|current-workspace-token)\./.test(name)

/** Single sign-on decides who is an operator, also an owner. */
const isOfSignIn = ({ name }: Operation): boolean => /^sso-(config|domains)\./.test(name)

/** Returns the least roles of an operation with credentials. */
export function leastRolesOf(operation: Operation): LeastRoles {
  if (operation.name.startsWith('operators.')) return always('admin')
  if (isOfSignIn(operation)) return always('owner')
  const isPlainRead = !writes(operation) && operation.secret !== true
  if (isPlainRead) return LEAST_TO_READ
  if (isOfWorkspaceTokens(operation)) return always('owner')
  if (operation.scope === 'write' && operation.secret !== true) return always('developer')
  return LEAST_FOR_SECRETS
}

/** Calls that a session left open must not make, in addition to calls that show secrets. */
const FRESH = ['api-keys.delete', 'operators.update', 'sso-config.update', 'sso-config.test', 'sso-domains.verify']

/**
 * Whether operators must have proved who they are within the last minutes: before a secret is shown, a key deleted, a
 * role given, or single sign-on changed.
 */
export const needsFreshSignIn = ({ name, secret }: Operation): boolean => secret === true || FRESH.includes(name)

export const isAtLeast = (role: OperatorRole, least: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least)

/** Returns the sentence that says whom to ask: everybody who has the role or a higher one. */
function whomToAsk(least: OperatorRole): string {
  const who = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    OPERATOR_ROLES.filter((role) => isAtLeast(role, least)),
  )
  return `Ask ${/^[aeiou]/.test(who) ? 'an' : 'a'} ${who} of this workspace.`
}

/** Returns the message of the refusal, which the console also shows before the call is made. */
export const roleMissing = (role: OperatorRole, least: OperatorRole): string =>
  `Your role in the workspace is "${role}"; this needs the role "${least}". ${whomToAsk(least)}`
