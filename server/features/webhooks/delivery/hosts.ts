/**
 * Limits the requests to each host, over all endpoints that name it: anybody can name any host, and must not flood it through
 * this server. Nor may anybody keep others from it: a workspace without a request to the host gets one whatever the others have, and none
 * gets all that the host may have in a second. Each process counts its own requests.
 */
import { Counts } from './counts.ts'
import { type Trial, Window, type WindowLimits } from './window.ts'

const WINDOW: WindowLimits = { first: 16, min: 4, max: 256 }
const SECOND_MS = 1_000
/** Of the requests in a second, one of this many is left to other workspaces. */
const ONE_LEFT_OF = 10
/** How many windows are remembered of hosts with no request under way. */
const REMEMBERED_MAX = 10_000

/** Requests to a host: of all workspaces, and of one. */
interface Requests {
  all: number
  own: number
}

export class Hosts {
  readonly #perSecond: number
  readonly #perSecondOfOne: number
  readonly #windows = new Map<string, Window>()
  /** The requests of each workspace to each host that are under way. */
  readonly #running = new Counts()
  /** The requests to each host since `#since`, and those of each workspace. */
  #counts = new Counts()
  #since = 0

  /** `perSecond`: 0 means no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond || Number.POSITIVE_INFINITY
    this.#perSecondOfOne = Math.max(this.#perSecond - Math.ceil(perSecond / ONE_LEFT_OF), 1)
  }

  /** Returns how many requests of a workspace the host may get now, beside those that are `given` already. */
  left(host: string, workspaceId: string, given: Requests): number {
    const now = performance.now()
    if (now - this.#since >= SECOND_MS) {
      this.#since = now
      this.#counts = new Counts()
    }
    const ofWindow = (this.#windows.get(host)?.left ?? WINDOW.first) - given.all
    const isNew = this.#running.get(host, workspaceId) + given.own === 0
    return Math.min(
      isNew ? Math.max(ofWindow, 1) : ofWindow,
      this.#perSecond - this.#counts.get(host) - given.all,
      this.#perSecondOfOne - this.#counts.get(host, workspaceId) - given.own,
    )
  }

  begin(host: string, workspaceId: string): void {
    const window = this.#windows.get(host) ?? new Window(WINDOW)
    window.running++
    this.#windows.set(host, window)
    this.#running.add(1, host, workspaceId)
    this.#counts.add(1, host)
    this.#counts.add(1, host, workspaceId)
  }

  end(host: string, workspaceId: string, trial: Trial): void {
    this.#running.add(-1, host, workspaceId)
    const window = this.#windows.get(host)
    window?.end(trial)
    if (window?.running === 0 && (window.size === WINDOW.first || this.#windows.size > REMEMBERED_MAX))
      this.#windows.delete(host)
  }
}
