/**
 * Days in the time zone of the browser, or in UTC if the user has chosen it. A day has 23 or 25 hours where summer time
 * begins or ends, so days are counted by the calendar.
 */
import { timeFormat } from '../../components/values/times.ts'

/** Periods that follow the calendar: a link shows the same period on another day. */
export const PERIODS = ['today', 'yesterday', '7d'] as const
export type Period = (typeof PERIODS)[number]

/** Returns when the day of `at` begins, or one that is some days later; in milliseconds. */
export function startOfDay(at: number, days = 0): number {
  const moment = new Date(at)
  if (timeFormat() === 'utc') return Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate() + days)
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + days).getTime()
}

export interface Range {
  /** Inclusive; in milliseconds. */
  from?: number
  /** Exclusive. */
  to?: number
}

/** Returns the times of a period. “7d” is today and the six days before it. */
export function rangeOf(period: Period | undefined, now: number): Range {
  if (period === 'today') return { from: startOfDay(now) }
  if (period === 'yesterday') return { from: startOfDay(now, -1), to: startOfDay(now) }
  return period === '7d' ? { from: startOfDay(now, -6) } : {}
}

const NAMED = { weekday: 'long', day: 'numeric', month: 'long' } as const

const formattersIn = (zone: Intl.DateTimeFormatOptions) => ({
  year: new Intl.DateTimeFormat('en', { year: 'numeric', ...zone }),
  thisYear: new Intl.DateTimeFormat(undefined, { ...NAMED, ...zone }),
  otherYear: new Intl.DateTimeFormat(undefined, { ...NAMED, year: 'numeric', ...zone }),
})

const FORMATTERS = { local: formattersIn({}), utc: formattersIn({ timeZone: 'UTC' }) }

/** Names the day of `at` as a heading. */
export function dayName(at: number, now: number): string {
  if (startOfDay(at) === startOfDay(now)) return 'Today'
  if (startOfDay(at) === startOfDay(now, -1)) return 'Yesterday'
  const { year, thisYear, otherYear } = FORMATTERS[timeFormat() === 'utc' ? 'utc' : 'local']
  return (year.format(at) === year.format(now) ? thisYear : otherYear).format(at)
}

export interface Day<Row> {
  start: number
  rows: Row[]
}

/** Groups rows that are in the order of time, by day. */
export function byDay<Row>(rows: readonly Row[], timeOf: (row: Row) => number): Day<Row>[] {
  const days: Day<Row>[] = []
  for (const row of rows) {
    const start = startOfDay(timeOf(row))
    const last = days.at(-1)
    if (last?.start === start) last.rows.push(row)
    else days.push({ start, rows: [row] })
  }
  return days
}
