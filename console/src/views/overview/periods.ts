/** The ranges of the chart of usage, and their periods of UTC: also those in which nothing was counted. */
import type { UsagePeriod } from '#sdk/generated/operations.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export interface UsageRange {
  label: string
  granularity: 'hour' | 'day' | 'month'
  /** How many periods, with the current one. */
  count: number
  /** How a period is named on the axis. */
  axis: Intl.DateTimeFormatOptions
  /** Says when the range before it was. Absent where the server no longer has that range. */
  earlier?: string
}

export const RANGES = {
  hours: {
    ...{ label: '24 h', granularity: 'hour', count: 24, earlier: '24 hours earlier' },
    axis: { hour: '2-digit', minute: '2-digit' },
  },
  week: {
    ...{ label: '7 days', granularity: 'day', count: 7, earlier: '7 days earlier' },
    axis: { weekday: 'short', day: 'numeric' },
  },
  days: {
    ...{ label: '30 days', granularity: 'day', count: 30, earlier: '30 days earlier' },
    axis: { month: 'short', day: 'numeric' },
  },
  months: { label: '13 months', granularity: 'month', count: 13, axis: { year: '2-digit', month: 'short' } },
} as const satisfies Record<string, UsageRange>
export type RangeName = keyof typeof RANGES

export const startOf = (range: UsageRange, now: number): number => startBefore(range, now, range.count - 1)

/** Returns the start of the first period that is read: with the range before, where the server has it. */
export const readFrom = (range: UsageRange, now: number): number =>
  range.earlier === undefined ? startOf(range, now) : startBefore(range, now, 2 * range.count - 1)

function startBefore({ granularity }: UsageRange, now: number, periods: number): number {
  const at = new Date(now)
  if (granularity === 'month') return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - periods)
  const length = granularity === 'hour' ? HOUR_MS : DAY_MS
  return Math.floor(now / length) * length - periods * length
}

const NOTHING = { calls: 0, refused: 0, failed: 0, checks: 0, webhooks: 0 }

export type ShownPeriod = UsagePeriod & {
  name: string
  /** The same period of the range before; undefined where ranges are not compared. */
  before?: UsagePeriod | undefined
}

/** Returns every period of a range, with its name and the period that it is compared with. */
export function shownPeriods(range: UsageRange, found: readonly UsagePeriod[], now: number): ShownPeriod[] {
  const known = new Map(found.map((usage) => [usage.startsAt, usage]))
  const named = new Intl.DateTimeFormat(undefined, { ...range.axis, timeZone: 'UTC' })
  const ago = (periods: number): UsagePeriod => {
    const startsAt = startBefore(range, now, periods)
    return known.get(startsAt) ?? { ...NOTHING, period: '', startsAt }
  }
  return Array.from({ length: range.count }, (_, index) => {
    const periods = range.count - 1 - index
    const usage = ago(periods)
    return {
      ...usage,
      name: named.format(usage.startsAt),
      ...(range.earlier !== undefined && { before: ago(periods + range.count) }),
    }
  })
}
