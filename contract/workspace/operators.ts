/** `workspace/operators/*`: the people who manage a workspace, and their roles (rules/operators.md#operators). */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { Email, Name } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OPERATOR_ROLES } from './operator-roles.ts'

export const OperatorRole = Type.Enum([...OPERATOR_ROLES], {
  description:
    'What the operator may do. `support` reads everything except secrets; `developer` also changes data, and may do everything with testing keys; `admin` may do everything that is not reserved for owners; `owner` may do everything.',
})

export const OperatorId = Type.String({
  description: 'Identifies the operator.',
  minLength: 1,
  maxLength: LIMITS.tokenCharactersMax,
})

/** An operator as the author of an action. */
export const NamedOperator = Type.Object({ id: Type.String(), name: Type.String() })

export const Operator = Type.Object({
  id: OperatorId,
  email: Type.String(),
  name: Type.String(),
  role: OperatorRole,
  createdAt: Type.Integer({ description: 'Milliseconds.' }),
  lastSeenAt: Type.Optional(
    Type.Integer({ description: 'Milliseconds, at most a minute before the last call; absent: they never signed in.' }),
  ),
  invitedBy: Type.Optional(
    Type.String({ description: 'The name of the operator or of the token that invited them; absent: nobody did.' }),
  ),
  linkExpiresAt: Type.Optional(
    Type.Integer({ description: 'Unix seconds at which their latest unused link expires; absent: there is none.' }),
  ),
  weeklyFindings: Type.Boolean({
    description: 'Whether they get the findings by mail once a week, while they are an owner or an admin.',
  }),
})
export type Operator = Type.Static<typeof Operator>

export const getOperators = operation({
  name: 'operators.get',
  path: '/v2/workspace/operators/get',
  credentials: 'workspace',
  summary: 'Get the operators of the workspace',
  description: 'Returns the people who manage the workspace, oldest first.',
  data: ClosedObject({}),
  result: Type.Object({ operators: Type.Array(Operator) }),
  success: 'Operators retrieved successfully.',
  example: {},
})

export const inviteOperator = operation({
  name: 'operators.invite',
  path: '/v2/workspace/operators/invite',
  credentials: 'workspace',
  summary: 'Invite an operator',
  description: `Adds a person to the workspace, with a link that signs them in to the console once, within ${LIMITS.invitationLinkSeconds / 86_400} days: it goes to the address by mail, or is returned if the installation has no mail server. Inviting an address again before its first sign-in replaces name, role and link. A workspace can have ${LIMITS.operatorsPerWorkspaceMax} operators.`,
  data: ClosedObject({
    email: Email('The address of the person, which must be able to get mail. The case of A to Z does not matter.'),
    name: Type.Optional(Name('Events caused by the person show this name. Default: the address.')),
    role: OperatorRole,
  }),
  result: Type.Object({
    operator: Operator,
    link: Type.Optional(
      Type.String({
        description:
          'The address to open. A secret: anybody who opens it signs in as the person. Absent if the link is mailed: then only the person who reads the mail gets it.',
      }),
    ),
    isMailed: Type.Boolean({
      description:
        'Whether the link goes to the address by mail alone. The mail may not arrive, and with `MAIL_CONFIRM_OWNERS` an address that is not confirmed gets only the question whether it wants mail: then the person confirms and requests a link, or is invited again.',
    }),
  }),
  success: 'Operator invited successfully.',
  secret: true,
  reasons: ['operator_exists', 'too_many_operators', 'last_owner', 'workspace_token_replaced'],
  example: { email: 'kim@example.com', name: 'Kim', role: 'developer' },
})

export const updateOperator = operation({
  name: 'operators.update',
  path: '/v2/workspace/operators/update',
  credentials: 'workspace',
  summary: 'Update an operator',
  description:
    'Changes the name or the role of an operator, or whether they get findings by mail once a week. A new role applies from the next request of their sessions on. The last owner keeps the role.',
  data: ClosedObject({
    operatorId: OperatorId,
    name: Type.Optional(Name('The new name.')),
    role: Type.Optional(OperatorRole),
    weeklyFindings: Type.Optional(
      Type.Boolean({
        description:
          'Send them the findings (`findings.list`, `account-findings.list`) by mail on Mondays, if there are any. Only owners and admins can set it to `true`, in a session of their own and for themselves; everyone who may update the operator can set it to `false`.',
      }),
    ),
  }),
  result: Operator,
  success: 'Operator updated successfully.',
  warns: true,
  reasons: ['operator_does_not_exist', 'last_owner', 'other_operator', 'workspace_token_replaced'],
  example: { operatorId: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11', role: 'admin' },
})

export const removeOperator = operation({
  name: 'operators.remove',
  path: '/v2/workspace/operators/remove',
  credentials: 'workspace',
  summary: 'Remove an operator',
  description:
    'Removes an operator from the workspace, and ends their sessions and links. Events keep their name. The last owner cannot be removed.',
  data: ClosedObject({ operatorId: OperatorId }),
  success: 'Operator removed successfully.',
  unlimited: true,
  reasons: ['operator_does_not_exist', 'last_owner', 'workspace_token_replaced'],
  example: { operatorId: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11' },
})

export const OPERATOR_OPERATIONS = [getOperators, inviteOperator, updateOperator, removeOperator]
