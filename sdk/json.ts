/**
 * Writes the body of a call. `JSON.stringify` writes NaN, infinite numbers and invalid dates as null. In most calls null means
 * that a field is absent, so a grant with `expiresAt: NaN` would never expire. These values are refused.
 */

/** Returns the body. `name` is the method as callers write it. Throws a TypeError that names the field. */
export function bodyOf(name: string, data: unknown): string {
  const body = JSON.stringify({ data })
  if (body.includes('null'))
    JSON.stringify(data, function (this: Record<string, unknown>, field, value: unknown) {
      const given = this[field]
      if (given !== null && (value === null || (typeof value === 'number' && !Number.isFinite(value))))
        throw new TypeError(`${name}: ${field} must not be ${given}`)
      return value
    })
  return body
}
