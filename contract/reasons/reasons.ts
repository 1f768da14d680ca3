/**
 * Every `reason` of an error with its status and meaning: the only such table, in two parts. The reference pages and
 * the OpenAPI document read it.
 */

import type { Operation } from '../core/operation.ts'
import { STATUS, type Status } from '../core/status.ts'
import type { Reason } from './common-reasons.ts'
import { COMMON_REASONS } from './common-reasons.ts'
import { OPERATION_REASONS } from './operation-reasons.ts'

export { COMMON_REASONS, OPERATION_REASONS }

/** Returns the reasons with which an operation can fail, by status, in the order of the statuses. */
export function reasonsByStatus(operation: Operation): [Status, string[]][] {
  const declared = (operation.reasons ?? []).map((name): [string, Reason | undefined] => [
    name,
    OPERATION_REASONS[name],
  ])
  const all = [...Object.entries<Reason | undefined>(COMMON_REASONS), ...declared]
  return (Object.keys(STATUS) as Status[]).flatMap((status): [Status, string[]][] => {
    const reasons = all.filter(
      ([, reason]) => reason?.statuses.includes(status) && (reason.of?.(operation, status) ?? true),
    )
    return reasons.length === 0 ? [] : [[status, reasons.map(([name]) => name)]]
  })
}
