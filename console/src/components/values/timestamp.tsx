/** A point in time: relative to now, with the exact time in the browser's time zone on hover and on focus. */
import { Tooltip } from '@mantine/core'

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' },
  ...{ fractionalSecondDigits: 3, timeZoneName: 'longOffset' },
})

export function fromNow(at: number, now = Date.now()): string {
  const ms = at - now
  const [unit, length] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000]
  // Future times are rounded: "in 7 days" holds for a moment longer. Past times count full units.
  return relative.format(ms > 0 ? Math.round(ms / length) : Math.trunc(ms / length), unit)
}

interface WhenProps {
  /** Unix milliseconds, as the API returns them. */
  at: number
  /** Shows the date instead of the relative time. */
  date?: boolean
}

export function Timestamp({ at, date = false }: WhenProps) {
  const moment = new Date(at)
  return (
    <Tooltip label={exact.format(moment)} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can read the exact time as well */}
      <time dateTime={moment.toISOString()} tabIndex={0}>
        {date ? short.format(moment) : fromNow(at)}
      </time>
    </Tooltip>
  )
}
