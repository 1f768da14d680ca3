/** Writes the reference page of what the operators of a workspace may do, from the table of the contract. */
import { OPERATIONS } from '#contract/operations.ts'
import { isAtLeast, leastRolesOf, needsFreshSignIn, OPERATOR_ROLES } from '#contract/workspace/operator-roles.ts'
import { code, page, table } from './markdown.ts'

const ROLES: Record<(typeof OPERATOR_ROLES)[number], string> = {
  support: 'reads everything but secrets',
  developer: 'also changes data of every key, and does everything with testing keys, secrets included',
  admin: 'also does everything with production keys, and manages operators who are no owners',
  owner: 'also manages the tokens of the workspace, and owners',
}

export function rolesPage(): string {
  const withCredentials = OPERATIONS.filter(({ credentials }) => credentials !== 'none')
  const rows = withCredentials.map((operation) => {
    const { testing, production } = leastRolesOf(operation)
    const mayIt = OPERATOR_ROLES.map((role) =>
      isAtLeast(role, production) ? 'yes' : isAtLeast(role, testing) ? 'testing keys' : '',
    )
    return [code(operation.name), ...mayIt, needsFreshSignIn(operation) ? 'yes' : '']
  })
  return page(
    'Roles',
    'What an operator of a workspace may do in the console, by role. Tokens have no role: a token of the workspace does everything, an auth token what its [scopes](../rules/keys.md#scopes) allow. A call that the role does not allow is refused with the reason `role_missing`.',
    table(
      ['role', 'what it may do'],
      OPERATOR_ROLES.map((role) => [code(role), ROLES[role]]),
    ),
    '“Testing keys” means that the role may make the call with a testing key, or create one. Calls with “yes” in the last column need a sign-in within the last ten minutes; otherwise they are refused with the reason `sign_in_again`. Only owners may invite, change or remove an owner.',
    table(['operation', ...OPERATOR_ROLES.map(code), 'recent sign-in'], rows),
  )
}
