/** When daily mails are sent. */
import { zoneOf } from './times.ts'

/** The hour of the day, in the time zone of the user. */
const HOUR = 8

/** Returns the next time at which the daily mails of users are sent in a time zone of the IANA database; without a known one, of UTC. */
export function nextDailyMail(timezone: string | null, now: Date): Date {
  // `zoneOf` is stricter than Temporal, which takes the zone from a text such as `2026-11-26[Asia/Tokyo]`.
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zoneOf(timezone))
  const today = local.with({ hour: HOUR, minute: 0, second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 })
  const next = Temporal.ZonedDateTime.compare(today, local) > 0 ? today : today.add({ days: 1 })
  return new Date(next.epochMilliseconds)
}
