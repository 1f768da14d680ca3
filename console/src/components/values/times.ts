/** How the console shows times: relative to now, or as date and time, local or UTC. The choice is stored in this browser. */
import { createListeners } from '../../listeners.ts'
import { keepText, keptText } from '../../storage.ts'

export const TIME_FORMATS = ['relative', 'local', 'utc'] as const
export type TimeFormat = (typeof TIME_FORMATS)[number]

export const TIMES: Readonly<Record<TimeFormat, string>> = {
  relative: 'Relative times',
  local: 'Local date and time',
  utc: 'UTC',
}

const NAME = 'commonhold-times'

const isFormat = (text: string | null): text is TimeFormat => TIME_FORMATS.some((known) => known === text)

function stored(): TimeFormat {
  const text = keptText(NAME)
  return isFormat(text) ? text : 'relative'
}

let current: TimeFormat | undefined
const { listen: onTimeFormat, notify } = createListeners()

/** `onTimeFormat` calls back when another format is chosen. */
export { onTimeFormat }

export function timeFormat(): TimeFormat {
  current ??= stored()
  return current
}

export function setTimeFormat(format: TimeFormat): void {
  current = format
  keepText(NAME, format)
  notify()
}

const formattersIn = (timeZone: 'UTC' | undefined) => {
  const zone = timeZone && { timeZone }
  const named = timeZone && { timeZoneName: 'short' as const }
  const date = { year: 'numeric', month: 'short', day: 'numeric' } as const
  return {
    moment: new Intl.DateTimeFormat(undefined, { ...date, hour: '2-digit', minute: '2-digit', ...zone, ...named }),
    timeOfDay: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', ...zone }),
    day: new Intl.DateTimeFormat(undefined, { ...date, ...zone }),
    exact: new Intl.DateTimeFormat(undefined, {
      ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' },
      ...{ fractionalSecondDigits: 3, timeZoneName: 'longOffset', ...zone },
    }),
  }
}

const FORMATTERS = { local: formattersIn(undefined), utc: formattersIn('UTC') }

const formatters = () => FORMATTERS[timeFormat() === 'utc' ? 'utc' : 'local']

/** “22 Nov 2026, 14:03”, with “UTC” where that was chosen. */
export const formatMoment = (at: number): string => formatters().moment.format(at)

/** “14:03”, below a heading with the day. */
export const formatTimeOfDay = (at: number): string => formatters().timeOfDay.format(at)

/** “22 Nov 2026”, as in a moment. */
export const formatDay = (at: number): string => formatters().day.format(at)

/** Formats a time with milliseconds and the time zone, which is shown on hover and on focus. */
export const formatExact = (at: number): string => formatters().exact.format(at)

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

/** “in 7 days” holds for a moment longer. */
const TOLERANCE = 0.02

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** Counts full units: what expires in 2.6 days expires “in 2 days”. */
function formatFromNow(at: number, now: number): string {
  const ms = at - now
  const tolerance = ms > 0 ? TOLERANCE : 0
  const [unit, length] = UNITS.find(([, length]) => Math.abs(ms) >= length * (1 - tolerance)) ?? ['second', 1_000]
  return relative.format(Math.trunc(ms / length + tolerance), unit)
}

/** A past event is never shown as a future one, even if the clock of the browser is behind that of the server. */
export const formatPast = (at: number, now: number): string =>
  timeFormat() === 'relative' ? formatFromNow(Math.min(at, now), now) : formatMoment(at)

/** Says a time as somebody has chosen. */
export const formatWhen = (at: number, now: number): string =>
  timeFormat() === 'relative' ? formatFromNow(at, now) : formatMoment(at)
