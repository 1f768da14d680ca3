/** Reads and writes the times of a command line: moments, and spans such as `30d` (docs/guides/use-the-command-line.md#times). */
import { LIMITS } from '#contract/core/limits.ts'
import { parseMoment } from '#contract/core/moments.ts'
import { wrongUsage } from './failures.ts'
import { io } from './terminal/io.ts'
import type { Reader } from './values.ts'

const UNITS = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 } as const

/** Each unit at most once, the longest first. */
const SPAN = /^(?=.)(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/

/** Returns the seconds of a span such as `30d` or `1h30m`; undefined if the text is not a span. */
function secondsIn(word: string): number | undefined {
  const counts = SPAN.exec(word)?.slice(1)
  if (counts === undefined) return undefined
  return Object.values(UNITS).reduce((sum, length, index) => sum + Number(counts[index] ?? 0) * length, 0)
}

/** The rule in the help of each option that takes a time. */
export const A_TIME = 'a span such as 30d, a date (from 00:00 UTC), or a time with its zone: 2030-01-31T12:00Z.'

const HOW_TO_WRITE =
  'A time is a span such as 30d or 1h30m, a date such as 2030-01-31 (from 00:00 UTC), a time such as 2030-01-31T12:00Z or 2030-01-31T12:00+02:00, or seconds since 1970.'

/** Returns the milliseconds of a moment; a span is counted from now, or back from now. */
function momentOf(word: string, name: string, direction: 1 | -1): number {
  const refused = (must: string) => wrongUsage(`${name} must ${must}; it is ${JSON.stringify(word)}.`, HOW_TO_WRITE)
  const seconds = secondsIn(word)
  if (seconds !== undefined) return inRange(Date.now() + direction * seconds * 1_000, refused)
  if (!/^\d+$/.test(word)) {
    const moment = parseMoment(word)
    if ('must' in moment) throw refused(moment.must)
    return inRange(moment.milliseconds, refused)
  }
  // Fewer digits are a time before 2001: a span without its unit. More are a time after 5138: milliseconds.
  if (word.length < 10) throw refused(`have a unit if it is a span, such as ${word}d`)
  if (word.length > 11) throw refused('be in seconds since 1970; this value looks like milliseconds')
  return Number(word) * 1_000
}

/** The API takes no other times. */
function inRange(milliseconds: number, refused: (must: string) => Error): number {
  if (milliseconds >= 0 && milliseconds <= LIMITS.expiresAtSecondsMax * 1_000) return milliseconds
  throw refused('be a time from 1970 to 5138')
}

/** Reads the end of something, in seconds; a span counts from now. It must be in the future. */
export const endSeconds: Reader = (word, name) => {
  const seconds = Math.floor(momentOf(word, name, 1) / 1_000)
  if (seconds > Date.now() / 1_000) return seconds
  throw wrongUsage(`${name} must be in the future; ${word} is ${inUtc(seconds * 1_000)}, ${fromNow(seconds * 1_000)}.`)
}

/** Reads a time in the past, or the end of a period, in milliseconds; a span counts back from now. */
export const sinceMilliseconds: Reader = (word, name) => momentOf(word, name, -1)

/** Reads a span in seconds: `12h`, or a number of seconds. */
export const spanSeconds: Reader = (word, name) => {
  const seconds = secondsIn(/^\d{1,9}$/.test(word) ? `${word}s` : word)
  if (seconds !== undefined) return seconds
  throw wrongUsage(
    `${name} must be a span such as 90s, 30m, 1h30m or 7d, or a number of seconds; it is ${JSON.stringify(word)}.`,
  )
}

/** Returns the moment that a parameter was read as, in milliseconds; undefined if it is no moment. */
export const momentRead = (read: Reader | undefined, value: unknown): number | undefined =>
  read === endSeconds ? Number(value) * 1_000 : read === sinceMilliseconds ? Number(value) : undefined

/** How `--times` can show moments. */
export const TIME_FORMATS = ['utc', 'local', 'relative'] as const

/** Writes a moment to the second in the format of `--times`: in UTC with its zone, `2030-01-31T12:00:00Z`, unless another is chosen. */
export function shown(milliseconds: number): string {
  const { times = 'utc' } = io()
  if (times === 'relative') return fromNow(milliseconds)
  if (times === 'utc') return inUtc(milliseconds)
  const offset = -new Date(milliseconds).getTimezoneOffset()
  const zone = `${offset < 0 ? '-' : '+'}${[Math.abs(offset) / 60, Math.abs(offset) % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')}`
  return inUtc(milliseconds + offset * 60_000).replace('Z', zone)
}

/** Writes a moment to the second in UTC, for messages and files: `2030-01-31T12:00:00Z`. */
export const inUtc = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z')

/** Writes how far a moment is from now, in the longest unit of which it has at least two: `in 30 days`, `90 minutes ago`. */
export function fromNow(milliseconds: number): string {
  const seconds = Math.round((milliseconds - Date.now()) / 1_000)
  // A span is a little shorter when it is printed.
  const isLong = (length: number) => Math.abs(seconds) + 1 >= 2 * length
  const unit = isLong(UNITS.d) ? 'day' : isLong(UNITS.h) ? 'hour' : isLong(UNITS.m) ? 'minute' : 'second'
  const length = { day: UNITS.d, hour: UNITS.h, minute: UNITS.m, second: UNITS.s }[unit]
  return new Intl.RelativeTimeFormat('en').format(Math.round(seconds / length), unit)
}
