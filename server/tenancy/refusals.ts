/** Refusals that several slices give, each with one wording: an unknown id and another tenant's are answered alike. */
import type { AccessType } from '#contract/permissions.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'

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

/** What a call sets that gives resources an own access type, or takes it away so that they follow what is above them. */
export interface AccessChange {
  accessType?: AccessType
  inheritFromParent?: boolean
}

/** Refuses a call, or the item of one at `path`, that names both ways, or neither. */
export function assertAccessChange({ accessType, inheritFromParent = false }: AccessChange, path = ''): void {
  if ((accessType !== undefined) !== inheritFromParent) return
  const message = `${path}accessType is required unless inheritFromParent is true, and must not be given together with it`
  throw invalidArgument([{ field: `${path}accessType`, message }])
}

/** What the answer says of such a change. */
export const accessSet = ({ accessType }: AccessChange) =>
  accessType === undefined ? { accessType: null, inheritFromParent: true as const } : { accessType }
