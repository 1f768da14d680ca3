/** Questions about access in the past, and the parts of an answer. */
import type { Event } from '../generated/operations.ts'
import type { Access, AccessState, Place } from './state.ts'

export interface Question {
  organizationId: string
  subject: { userId: string } | { place: Place }
  /** Two moments in milliseconds, the earlier one first. */
  from: number
  to: number
}

/** The access of one user to one resource. Without `userId`: of everyone who has no grants. */
export interface HistoryRow {
  userId?: string
  place: Place
  before: Access
  after: Access
}

/** The gaps in an account of the past. */
export type Limit =
  /** Events before this time, in milliseconds, are no longer kept. */
  | { kind: 'kept_since'; at: number }
  /** A deletion removed more grants than the kept events name. */
  | { kind: 'grants_unknown'; event: Event; count: number }
  /** The members of a user group when it was deleted or emptied. */
  | { kind: 'members_unknown'; event: Event }
  /** The folder that contained a folder or document which was deleted since. */
  | { kind: 'place_unknown'; place: Place }
  /** The user had grants on more resources than are shown. */
  | { kind: 'more_places'; count: number }

export interface Moment {
  at: number
  state: AccessState
}
