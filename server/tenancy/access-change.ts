/** Calls that give a resource an access type of its own, or let it follow what is above it. */
import type { AccessType } from '#contract/permissions.ts'
import { invalidArgument } from '#platform/status-error.ts'

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
export const accessChangeResult = ({ accessType }: AccessChange) =>
  accessType === undefined ? { accessType: null, inheritFromParent: true as const } : { accessType }
