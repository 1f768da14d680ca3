/** Refusals that several slices give, each with one wording: an unknown id and another tenant's are answered alike. */
import { StatusError } from '#platform/status-error.ts'

export const apiKeyDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'api_key_does_not_exist', 'The workspace has no such API key.')

export const organizationDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'organization_does_not_exist', 'The organization does not exist.')

export const folderDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'folder_does_not_exist', 'The folder does not exist.')
