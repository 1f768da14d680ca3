/** Writes times of mails in the time zones of their recipients. */

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
