/** The knowledge of a server about its primary, for the readiness probe and the metrics. */
import { placeOf } from '../postgres-url.ts'
import type { Choice, Report } from './choose.ts'
import type { ServerState } from './server-state.ts'

export interface PrimaryStatus {
  /** Whether the primary responded when it was last examined. */
  isSeen: boolean
  timeline: number | null
  /** How often another server or timeline became the one in use, since the process started. */
  changes: number
  /** Why no server may be used. */
  refusal: Choice['refusal']
  /** How many bytes of the log the standbys do not have yet, by host. */
  standbys: readonly { host: string; behindBytes: number }[]
}

/** Returns how far the standbys among the hosts are behind the primary. */
export const standbysOf = (reports: readonly Report[], primary: ServerState | undefined): PrimaryStatus['standbys'] =>
  reports.flatMap(({ host, state }) =>
    state?.inRecovery && primary?.logBytes && state.logBytes !== null
      ? [{ host: placeOf(host), behindBytes: Math.max(primary.logBytes - state.logBytes, 0) }]
      : [],
  )
