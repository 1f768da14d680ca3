/**
 * Renames fields that begin with the word of a branded service (`acmeAllOrganizations`) to the fields of the contract
 * (rules/contract.md#header-names).
 */
import type { TSchema } from 'typebox'

/** Returns a function that renames the fields in place. The contract spells them with `service`. */
export function prefixRenamer(schema: TSchema, headerPrefix: string): (data: unknown) => void {
  const { properties = {} } = schema as { properties?: object }
  const names = headerPrefix === 'service' ? [] : Object.keys(properties).filter((name) => /^service[A-Z]/.test(name))
  return (data) => {
    if (typeof data !== 'object' || data === null) return
    const object = data as Record<string, unknown>
    for (const name of names) {
      const branded = name.replace('service', headerPrefix)
      if (!Object.hasOwn(object, branded) || Object.hasOwn(object, name)) continue
      object[name] = object[branded]
      delete object[branded]
    }
  }
}
