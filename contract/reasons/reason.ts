/** What the contract says of the `reason` of an error. */
import type { Operation } from '../core/operation.ts'
import type { Status } from '../core/status.ts'

export interface Reason {
  statuses: readonly Status[]
  meaning: string
  /** What to do next. */
  next: string
  /** Which operations can fail with it, of those that might; absent: all. */
  of?: (operation: Operation, status: Status) => boolean
}
