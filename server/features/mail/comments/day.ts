/** When daily mails are sent. */

/** The hour of the day, in the time zone of the user. */
const HOUR = 8

/** Returns the next time at which the daily mails of users are sent in a time zone of the IANA database; without a known one, of UTC. */
export function nextDailyMail(timezone: string | null, now: Date): Date {
  const local = inZone(timezone, Temporal.Instant.fromEpochMilliseconds(now.getTime()))
  const today = local.with({ hour: HOUR, minute: 0, second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 })
  const next = Temporal.ZonedDateTime.compare(today, local) > 0 ? today : today.add({ days: 1 })
  return new Date(next.epochMilliseconds)
}

function inZone(timezone: string | null, now: Temporal.Instant): Temporal.ZonedDateTime {
  try {
    return now.toZonedDateTimeISO(timezone ?? 'UTC')
  } catch {
    return now.toZonedDateTimeISO('UTC')
  }
}
