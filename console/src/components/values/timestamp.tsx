/** A point in time in the format that the user has chosen, with the exact time on hover and on focus. */
import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useNow } from '../../clock.ts'
import {
  formatExact,
  formatMoment,
  formatPast,
  formatWhen,
  onTimeFormat,
  type TimeFormat,
  timeFormat,
} from './times.ts'

interface TimestampProps {
  /** Unix milliseconds, as the API returns them. */
  at: number
  /** Shows the date instead of the relative time. */
  date?: boolean
  /** It can be in the future, such as an expiry. */
  ahead?: boolean
}

/** Compares with the present time and not with the last tick, so nothing that happened since then is in the future. */
export function Timestamp({ at, date = false, ahead = false }: TimestampProps) {
  useNow()
  const isMoment = useTimeFormat() !== 'relative' || date
  return (
    <Tooltip label={formatExact(at)} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can read the exact time as well */}
      <time dateTime={new Date(at).toISOString()} tabIndex={0} data-moment={isMoment || undefined}>
        {date ? formatMoment(at) : (ahead ? formatWhen : formatPast)(at, Date.now())}
      </time>
    </Tooltip>
  )
}

/** “expired 2 hours ago”, “in 3 days”. */
export function Expiry({ at }: Pick<TimestampProps, 'at'>) {
  return (
    <>
      {at <= useNow() && 'expired '}
      <Timestamp at={at} ahead />
    </>
  )
}

/** Redraws a component when the user chooses another format of times. */
export const useTimeFormat = (): TimeFormat => useSyncExternalStore(onTimeFormat, timeFormat)
