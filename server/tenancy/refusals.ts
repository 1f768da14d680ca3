/** Refusals that several features share, each with one wording: an unknown id gets the same response as another tenant's. */
import { LIMITS } from '#contract/core/limits.ts'
import { type OperatorRole, roleMissing } from '#contract/workspace/operator-roles.ts'
import { StatusError } from '#platform/status-error.ts'

export const apiKeyDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'api_key_does_not_exist', 'The workspace has no such API key.')

/** Returns the refusal for an operator whose role is below `least`. */
export const roleNotEnough = (role: OperatorRole, least: OperatorRole): StatusError =>
  new StatusError('PERMISSION_DENIED', 'role_missing', roleMissing(role, least))

export const tokenIsReplaced = (): StatusError =>
  new StatusError(
    'PERMISSION_DENIED',
    'workspace_token_replaced',
    'This token of the workspace is being replaced, so it cannot change tokens, operators or single sign-on. Use the token that replaced it.',
  )

export const userIsDisabled = (): StatusError =>
  new StatusError('PERMISSION_DENIED', 'user_disabled', 'The user is disabled.')

/**
 * Returns the refusal of a sign-in while an erasure of the user is unfinished. Triggers refuse all other rows about the user,
 * in the same words.
 */
export const userIsBeingErased = (): StatusError =>
  new StatusError(
    'ABORTED',
    'user_being_erased',
    'A user whom the call names is being erased; repeat the call when the job of users/data/delete is completed.',
    { retryAfterSeconds: 1 },
  )

export const organizationDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'organization_does_not_exist', 'The organization does not exist.')

/** Returns the refusal for a document that does not exist, with its new id if it was migrated. */
export const documentDoesNotExist = (migratedTo: string | null = null): StatusError =>
  new StatusError('NOT_FOUND', 'document_does_not_exist', 'The document does not exist.', {
    ...(migratedTo === null ? {} : { details: { migratedTo } }),
  })

/** Returns the refusal for user groups that do not exist; `fields` name them. */
export const userGroupDoesNotExist = (fields: readonly string[]): StatusError => {
  const message = 'The user group does not exist.'
  return new StatusError('NOT_FOUND', 'user_group_does_not_exist', message, {
    details: fields.slice(0, LIMITS.faultsMax).map((field) => ({ field, message })),
  })
}

export const folderDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'folder_does_not_exist', 'The folder does not exist.')
