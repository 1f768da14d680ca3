/** The refusals and the warning of calls about operators. */
import { LIMITS } from '#contract/core/limits.ts'
import type { Warning } from '#contract/core/warnings.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'

export const NO_MAIL: Warning = {
  code: 'no_mail_is_sent',
  message: 'No mail is sent: the installation has no mail server. To change that, set SMTP_URL and MAIL_FROM.',
}

export const otherOperator = () =>
  new StatusError(
    'PERMISSION_DENIED',
    'other_operator',
    'Only operators themselves can set weeklyFindings to true: in the console under “Your account”, or on the command line after `commonhold login`.',
  )

export const onlyAdminsGetFindings = () =>
  invalidArgument([{ field: 'weeklyFindings', message: 'weeklyFindings can be true for owners and admins only' }])

export const operatorDoesNotExist = () =>
  new StatusError('NOT_FOUND', 'operator_does_not_exist', 'The workspace has no such operator.')

export const operatorExists = () =>
  new StatusError(
    'ALREADY_EXISTS',
    'operator_exists',
    'The address belongs to an operator who has already signed in; change them with workspace/operators/update.',
  )

export const lastOwner = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'last_owner',
    'This is the only owner of the workspace. Make somebody else an owner first.',
  )

export const tooManyOperators = () =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_operators',
    `A workspace can have at most ${LIMITS.operatorsPerWorkspaceMax} operators; this one has reached the limit. Remove one first.`,
  )
