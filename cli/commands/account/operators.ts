/** Commands for the operators of the workspace. */
import { getOperators, inviteOperator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { done, record, table } from '../../terminal/output.ts'
import { column, milliseconds } from '../../terminal/table.ts'

const ID: Parameter = {
  flags: '<operator-id>',
  at: 'operatorId',
  help: 'The id of the operator, from `operator list`.',
}
const NAME: Parameter = { flags: '--name <name>', at: 'name' }

export const OPERATOR_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'operator list',
    operation: getOperators,
    show: table(
      [
        column('ID'),
        column('NAME'),
        column('EMAIL'),
        column('ROLE'),
        column('LAST SEEN', 'lastSeenAt', milliseconds),
        column('INVITED BY', 'invitedBy'),
      ],
      'operators',
    ),
    examples: ['commonhold operator list'],
  },
  {
    name: 'operator invite',
    operation: inviteOperator,
    parameters: [
      { flags: '<email>', at: 'email' },
      { flags: '<role>', at: 'role', help: 'What the operator may do: support, developer, admin or owner.' },
      NAME,
    ],
    show: record,
    examples: ['commonhold operator invite kim@example.com developer --name Kim'],
  },
  {
    name: 'operator update',
    operation: updateOperator,
    parameters: [
      ID,
      NAME,
      { flags: '--role <role>', at: 'role', help: 'The new role.' },
      {
        flags: '--weekly-findings <boolean>',
        at: 'weeklyFindings',
        help: 'Whether they get the findings by mail, once a week. You can set true only for yourself.',
      },
    ],
    show: record,
    examples: ['commonhold operator update b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11 --role admin'],
  },
  {
    name: 'operator remove',
    operation: removeOperator,
    parameters: [ID],
    confirm: ({ operatorId }: { operatorId: string }) =>
      `Remove the operator ${operatorId}? Their sessions in the console end at once.`,
    show: done,
    examples: ['commonhold operator remove b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11'],
  },
]
