/** Finds the expiry of grants, tokens and sessions in the result of a query. */
/** The fields of records of the API with an expiry, in seconds or in milliseconds. */
const END_FIELDS: readonly string[] = ['expiresAt', 'endsAt']
/** Seconds of times in the next thousand years are smaller, and milliseconds since 1971 are larger. */
const SECONDS_MAX = 40_000_000_000

/** A page of a list is far smaller. */
const VALUES_MAX = 50_000

/** Returns the earliest end after `now` in data of any shape, in milliseconds. */
export function earliestEnd(data: unknown, now: number): number | undefined {
  let earliest: number | undefined
  const rest: unknown[] = [data]
  for (let values = 0; rest.length > 0 && values < VALUES_MAX; values++) {
    const value = rest.pop()
    if (typeof value !== 'object' || value === null) continue
    if (value instanceof Map) rest.push(...value.values())
    else if (Array.isArray(value)) rest.push(...value)
    else
      for (const [field, inside] of Object.entries(value)) {
        if (typeof inside === 'object') rest.push(inside)
        else if (typeof inside === 'number' && END_FIELDS.includes(field)) {
          const end = inside < SECONDS_MAX ? inside * 1_000 : inside
          if (end > now && (earliest === undefined || end < earliest)) earliest = end
        }
      }
  }
  return earliest
}
