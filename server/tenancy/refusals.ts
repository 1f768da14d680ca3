/** Refusals that several features give, each with one wording: an unknown id and another tenant's are answered alike. */
import { StatusError } from '#platform/status-error.ts'

export const apiKeyDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'api_key_does_not_exist', 'The workspace has no such API key.')

export const organizationDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'organization_does_not_exist', 'The organization does not exist.')

/** With the id that a migrated document answers under now. */
export const documentDoesNotExist = (migratedTo: string | null = null): StatusError =>
  new StatusError('NOT_FOUND', 'document_does_not_exist', 'The document does not exist.', {
    ...(migratedTo === null ? {} : { details: { migratedTo } }),
  })

export const folderDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'folder_does_not_exist', 'The folder does not exist.')
