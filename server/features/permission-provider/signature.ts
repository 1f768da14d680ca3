/** Signs the answers of permission providers: HMAC-SHA-256 of their canonical JSON (RFC 8785), with a secret of the API key. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The fields in the order of their names, which makes the JSON canonical: their values are strings, booleans and numbers. */
const FIELDS = ['accessRole', 'expiresAt', 'hasAccess', 'organizationId', 'resourceId', 'type', 'userId'] as const
/** Signatures may be made before the organization is known to the signer. */
const FIELDS_IN_ANY_ORGANIZATION = FIELDS.filter((name) => name !== 'organizationId')

/** Returns the canonical JSON of entries; fields that are undefined or null, or not of the protocol, are left out. */
const canonical = (entries: readonly object[], names: readonly string[]): string =>
  JSON.stringify(
    entries.map((entry) => {
      const fields = entry as Record<string, unknown>
      return Object.fromEntries(names.flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]])))
    }),
  )

const digest = (secret: string, text: string): Buffer => createHmac('sha256', secret).update(text).digest()

/** Returns the signature of entries as 64 hexadecimal digits. */
export const signatureOf = (secret: string, entries: readonly object[]): string =>
  digest(secret, canonical(entries, FIELDS)).toString('hex')

/**
 * Returns a function that says whether a signature belongs to entries, with their `organizationId` or without. It takes the
 * same time for every signature. `secret` is null if nothing was ever signed; then no signature is valid.
 */
export const isSignature =
  (secret: string | null) =>
  (signature: string, entries: readonly object[]): boolean => {
    const given = Buffer.from(signature, 'hex')
    if (secret === null || given.length !== 32 || signature.length !== 64) return false
    const [whole, inAny] = [FIELDS, FIELDS_IN_ANY_ORGANIZATION].map((names) =>
      timingSafeEqual(given, digest(secret, canonical(entries, names))),
    )
    return whole === true || inAny === true
  }
