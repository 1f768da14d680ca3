/** Times in the time zones of recipients: those that mails show, and when daily mails are sent. */

/** There are some hundreds of time zones, under some more names. */
const FORMATS_MAX = 1_000

/** Making a format takes longer than writing the rest of a mail. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Throws a RangeError for a time zone that is not known. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone })
  if (formats.size >= FORMATS_MAX) formats.clear()
  formats.set(timeZone, format)
  return format
}

/** Returns the name of a time zone; UTC if it is not known. */
export function zoneOf(timezone: string | null): string {
  try {
    return formatIn(timezone ?? 'UTC').resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

export type Moment = (at: number) => string

/** Returns a function that writes times in a known time zone. */
export const momentIn =
  (timeZone: string): Moment =>
  (at) =>
    formatIn(timeZone).format(at)

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
