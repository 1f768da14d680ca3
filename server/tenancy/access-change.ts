/** Calls that set the access type of a resource, or let it inherit the access type of its parent. */
import type { AccessType } from '#contract/access/permissions.ts'
import { invalidArgument } from '#platform/status-error.ts'

/** The fields that set an access type, or remove it so that the resource inherits the access type of its parent. */
export interface AccessChange {
  accessType?: AccessType
  inheritFromParent?: boolean
}

/** Refuses a call, or its item at `path`, that has both fields or neither. */
export function assertAccessChange({ accessType, inheritFromParent = false }: AccessChange, path = ''): void {
  if ((accessType !== undefined) !== inheritFromParent) return
  const message = `${path}accessType is required unless inheritFromParent is true, and must not be given together with it`
  throw invalidArgument([{ field: `${path}accessType`, message }])
}

/** Whether the resource may be public afterwards. */
export const mayBePublic = ({ accessType = 'public' }: AccessChange): boolean => accessType === 'public'

/** Returns the part of a response that reports such a change. */
export const accessChangeResult = ({ accessType }: AccessChange) =>
  accessType === undefined ? { accessType: null, inheritFromParent: true as const } : { accessType }
