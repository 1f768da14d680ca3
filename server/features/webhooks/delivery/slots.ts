/**
 * Limits the requests that a process has in progress: the total, the number to each endpoint and host (by windows), and the
 * number of each workspace. All failing endpoints together get a part of the total. A workspace gets another slot only while it
 * has fewer than a quarter of the free slots. So one slow workspace leaves four fifths of the slots free, two slow workspaces
 * leave two thirds free, and even twenty leave some.
 */
import { Counts } from './counts.ts'
import { Hosts } from './hosts.ts'
import { type Trial, Window, type WindowLimits } from './window.ts'

const IN_FLIGHT_MAX = 512
const FAILING_MAX = 128
const NEWCOMERS = 4
const WINDOW: WindowLimits = { first: 2, min: 1, max: 64 }
const FAILING_WINDOW: WindowLimits = { ...WINDOW, first: 1 }
/** How many windows are remembered of endpoints with no request under way. */
const REMEMBERED_MAX = 10_000
/** An endpoint that gets nothing because of its host or workspace takes its next turn after this time. */
const PAUSE_MS = 500

/** An endpoint with something to deliver. */
export interface Ready {
  endpointKey: number
  works: boolean
  workspaceId: string
  url: string
}

export interface Share {
  endpointKey: number
  slots: number
  pauseMs: number
}

interface Slot {
  window: Window
  isFailing: boolean
  workspaceId: string
  host: string
}

export class Slots {
  readonly #slots = new Map<number, Slot>()
  readonly #hosts: Hosts
  readonly #workspaces = new Counts()
  #running = 0
  #failing = 0

  constructor(requestsPerHost: number) {
    this.#hosts = new Hosts(requestsPerHost)
  }

  get running(): number {
    return this.#running
  }

  /** Returns how many endpoints that work, and how many that fail, may be served now, and those whose window is full. */
  free(): { full: number[]; working: number; failing: number } {
    const full = [...this.#slots].flatMap(([key, { window }]) => (window.left > 0 ? [] : [key]))
    const working = Math.max(IN_FLIGHT_MAX - this.#running, 0)
    return { full, working, failing: Math.min(Math.max(FAILING_MAX - this.#failing, 0), working) }
  }

  /** Returns how many deliveries each endpoint may have now: the rest of its windows, but at most its share of all free slots. */
  shares(ready: readonly Ready[]): Share[] {
    let left = IN_FLIGHT_MAX - this.#running
    const share = Math.max(Math.floor(left / ready.length), 1)
    const given = new Counts()
    return ready.map(({ endpointKey, works, workspaceId, url }) => {
      const host = hostOf(url)
      const windowLeft = this.#slots.get(endpointKey)?.window.left ?? (works ? WINDOW : FAILING_WINDOW).first
      const own = this.#workspaces.get(workspaceId) + given.get(workspaceId)
      const ofWorkspace = Math.max(Math.ceil((left / NEWCOMERS - own) / 2), 0)
      const toHost = { all: given.get(host), own: given.get(host, workspaceId) }
      const ofHost = this.#hosts.left(host, workspaceId, toHost)
      const slots = Math.max(Math.min(windowLeft, share, ofWorkspace, ofHost), 0)
      left -= slots
      for (const names of [[workspaceId], [host], [host, workspaceId]]) given.add(slots, ...names)
      return { endpointKey, slots, pauseMs: slots === 0 ? PAUSE_MS : 0 }
    })
  }

  begin({ endpointKey, isFailing, workspaceId, url }: Omit<Ready, 'works'> & { isFailing: boolean }): void {
    const host = hostOf(url)
    const window = this.#slots.get(endpointKey)?.window ?? new Window(isFailing ? FAILING_WINDOW : WINDOW)
    const slot = window.running > 0 ? this.#slots.get(endpointKey) : undefined
    const now = slot ?? { window, isFailing, workspaceId, host }
    this.#slots.set(endpointKey, now)
    window.running++
    this.#running++
    if (now.isFailing) this.#failing++
    this.#workspaces.add(1, now.workspaceId)
    this.#hosts.begin(now.host, now.workspaceId)
  }

  end(endpointKey: number, trial: Trial): void {
    const slot = this.#slots.get(endpointKey)
    if (slot === undefined) return
    slot.window.end(trial)
    this.#running--
    if (slot.isFailing) this.#failing--
    this.#workspaces.add(-1, slot.workspaceId)
    this.#hosts.end(slot.host, slot.workspaceId, trial)
    // A window that failed need not be remembered: the endpoint is known as failing.
    if (slot.window.running === 0 && (slot.window.size <= WINDOW.first || this.#slots.size > REMEMBERED_MAX))
      this.#slots.delete(endpointKey)
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? ''
