/** Parses unambiguous moments in ISO 8601. `Date` would parse 31 February as 3 March, and a time without a zone as local time. */

const ISO = /^\d{4}-\d\d-\d\d(?<time>T\d\d:\d\d(?::[0-5]\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d\d:\d\d)?)?$/

/** No zone is farther from UTC than these hours: a larger offset is a typing error. */
const HOURS_OF_ZONES = { '+': 14, '-': 12 }

/** Returns whether a zone, such as `Z` or `+02:00`, can be one. */
function isZone(zone: string): boolean {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? []
  return sign === undefined || Number(hours) + Number(minutes) / 60 <= HOURS_OF_ZONES[sign as '+' | '-']
}

/** A moment in milliseconds since 1970, or what its text must be or have. */
export type Moment = { milliseconds: number } | { must: string }

/** Parses `2030-01-31`, which begins at 00:00 UTC, or a time with `Z` or an offset, such as `2030-01-31T12:00+02:00`. */
export function parseMoment(text: string): Moment {
  const found = ISO.exec(text)?.groups
  if (found === undefined) return { must: 'be a time such as 2030-01-31T12:00:00Z, or a date such as 2030-01-31' }
  const { time, zone } = found
  if (time !== undefined && zone === undefined)
    return { must: `have a time zone: write ${text}Z for UTC, or an offset such as ${text}+02:00` }
  if (zone !== undefined && !isZone(zone)) return { must: 'have the offset of a time zone: from -12:00 to +14:00' }
  try {
    const instant = Temporal.Instant.from(time === undefined ? `${text}T00:00Z` : text)
    return { milliseconds: instant.epochMilliseconds }
  } catch {
    return { must: 'be a date and a time that exist in the calendar' }
  }
}
