/** Decides which of several PostgreSQL servers is the primary, from what each says about itself (ADR 0063). */
import { StatusError } from '../../status-error.ts'
import { NO_PRIMARY } from '../pg-errors.ts'
import { type PostgresHost, placeOf } from '../postgres-url.ts'
import { isSameServer, type ServerState } from './server-state.ts'

/** The report of a host or its failure. Neither is set if it was not examined yet. */
export interface Report {
  host: PostgresHost
  state?: ServerState | undefined
  /** Why it could not be examined. */
  error?: Error | undefined
}

export type Examined = Report & { state: ServerState }

/** The knowledge of this process about its cluster. */
export interface Known {
  systemIdentifier: string | null
  /** The latest timeline that any server was seen on. */
  timeline: number
}

export interface Choice {
  /** The host to work with; undefined: there is none. */
  primary?: Examined
  /** Why no host may be worked with. Undefined without `primary`: nothing new is known. */
  refusal?: StatusError
  /** The refusal is of another cluster than the one that this process works with. */
  isForeign?: boolean
  /** Servers of the same cluster that also say they are primary, but are on an earlier timeline than `primary`. */
  former: Examined[]
}

/**
 * A host is primary if it is not in recovery, its cluster is the adopted one, and nobody knows a later timeline of that
 * cluster: not another host, primary or standby, not this process, and no mark that another Commonhold server left.
 */
export function choose(reports: readonly Report[], cluster: Known | undefined, current?: PostgresHost): Choice {
  const examined = reports.filter((report): report is Examined => report.state !== undefined)
  const ours = examined.filter(({ state }) => isSameCluster(state, cluster))
  const [foreign] = examined.filter(({ state }) => !state.inRecovery && !isSameCluster(state, cluster))
  const claimants = ours.filter(({ state }) => !state.inRecovery).sort((one, other) => compare(other, one))
  const [best] = claimants
  if (best === undefined) {
    if (foreign !== undefined) return { ...refuse(foreignCluster(foreign)), isForeign: true }
    const isCurrentSilent = reports.some(({ host, state }) => host.url === current?.url && state === undefined)
    return isCurrentSilent ? { former: [] } : refuse(noPrimary(reports))
  }
  const others = claimants.filter((one) => one !== best)
  const clusters = new Set(claimants.map(({ state }) => state.systemIdentifier))
  if (clusters.size > 1) return refuse(severalClusters(claimants))
  const known = Math.max(cluster?.timeline ?? 0, ...ours.map(({ state }) => knownTimeline(state)))
  if (timelineOf(best) < known) return refuse(formerPrimary(best, known))
  const rival = others.find((one) => compare(one, best) === 0 && !isSameServer(one.state, best.state))
  if (rival !== undefined) return refuse(twoPrimaries(best, rival))
  const primary = claimants.find((one) => one.host.url === current?.url && isSameServer(one.state, best.state)) ?? best
  return { primary, former: others.filter((one) => !isSameServer(one.state, best.state)) }
}

/** The code makes it a connection error for the code paths that repeat reads. */
const withCode = (error: StatusError): StatusError => Object.assign(error, { code: NO_PRIMARY })

const noPrimaryNow = (message: string): StatusError =>
  withCode(new StatusError('UNAVAILABLE', 'no_primary', message, { retryAfterSeconds: 1 }))

const disputed = (message: string): StatusError =>
  withCode(new StatusError('UNAVAILABLE', 'primary_disputed', message, { retryAfterSeconds: 1 }))

const refuse = (refusal: StatusError): Choice => ({ refusal, former: [] })

const timelineOf = ({ state }: Examined): number => state.timeline ?? 0

const isSameCluster = (state: ServerState, cluster: Known | undefined): boolean =>
  cluster === undefined || (cluster.systemIdentifier ?? state.systemIdentifier) === state.systemIdentifier

/** The later timeline wins; on the same one, the server that was adopted later. */
function compare(one: Examined, other: Examined): number {
  return timelineOf(one) - timelineOf(other) || epochOf(one) - epochOf(other)
}

/** Returns the epoch of a server that was adopted on its timeline, else 0: a promoted standby has a copy of another's row. */
function epochOf({ state: { epoch, systemIdentifier, timeline } }: Examined): number {
  const isOwn = epoch?.timeline === timeline && epoch?.systemIdentifier === systemIdentifier
  return isOwn ? (epoch?.epoch ?? 0) : 0
}

/** Returns the latest timeline that a server knows of: its own, or one that another Commonhold server marked it with. */
function knownTimeline({ timeline, epoch, systemIdentifier }: ServerState): number {
  const isOwnRow = epoch?.systemIdentifier === systemIdentifier
  return Math.max(timeline ?? 0, isOwnRow ? (epoch?.timeline ?? 0) : 0, isOwnRow ? (epoch?.supersededBy ?? 0) : 0)
}

/** Remembers the latest timeline of a cluster, also when its server is gone again. */
export function learn(cluster: Known | undefined, state: ServerState | undefined): void {
  if (cluster === undefined || state === undefined || !isSameCluster(state, cluster)) return
  cluster.timeline = Math.max(cluster.timeline, knownTimeline(state))
}

const listed = (reports: readonly Report[]): string => reports.map(({ host }) => placeOf(host)).join(' and ')

function noPrimary(reports: readonly Report[]): StatusError {
  const what = ({ host, state }: Report) =>
    `${placeOf(host)} ${state === undefined ? 'does not respond' : 'is a standby'}`
  return noPrimaryNow(`No PostgreSQL server is primary now: ${reports.map(what).join(', ')}.`)
}

const formerPrimary = (found: Examined, known: number): StatusError =>
  disputed(
    `The PostgreSQL server ${placeOf(found.host)} is a former primary: it is on timeline ${timelineOf(found)}, and another server was promoted to timeline ${known}. Stop it, or make it a standby of the new one; if it was restored to an earlier time on purpose, restart Commonhold.`,
  )

const twoPrimaries = (one: Examined, other: Examined): StatusError =>
  disputed(
    `Two PostgreSQL servers say that they are primary on timeline ${timelineOf(one)}, ${listed([one, other])}; stop the wrong one.`,
  )

const severalClusters = (found: readonly Examined[]): StatusError =>
  disputed(
    `The PostgreSQL servers ${listed(found)} are primaries of different clusters; name the servers of one cluster in DATABASE_URL.`,
  )

const foreignCluster = ({ host }: Report): StatusError =>
  disputed(
    `The PostgreSQL server ${placeOf(host)} belongs to another cluster than the one this process works with; restart Commonhold if the database was moved there.`,
  )

export const notReady = (host: PostgresHost, why: string, cause?: unknown): StatusError =>
  Object.assign(noPrimaryNow(`The PostgreSQL server ${placeOf(host)} is the primary now, and ${why}.`), { cause })
