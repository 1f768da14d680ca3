/** Validates the public keys of webhooks when they are set. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { invalidArgument } from '#platform/status-error.ts'

const invalid = (field: string, must: string) => invalidArgument([{ field, message: `${field} must ${must}` }])

const BITS_MIN = 2_048
/** Longer keys take too long for each message. */
const BITS_MAX = 8_192

/** Returns the base64 text of an RSA public key without the PEM header and footer. Refuses other texts except the empty one. */
export function plainPublicKey(field: string, text: string): string {
  const plain = text.replace(/-----[A-Z ]+-----/g, '').replace(/\s/g, '')
  if (plain === '') return ''
  const bits = publicKeyOf(plain)?.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < BITS_MIN || bits > BITS_MAX)
    throw invalid(field, `be the base64 text of an RSA public key of ${BITS_MIN} to ${BITS_MAX} bits`)
  return plain
}

/** Parses a public key as written by `openssl rsa` with `-pubout` or `-RSAPublicKey_out`. */
export function publicKeyOf(plain: string): KeyObject | undefined {
  const key = Buffer.from(plain, 'base64')
  for (const type of ['spki', 'pkcs1'] as const)
    try {
      const found = createPublicKey({ key, format: 'der', type })
      return found.asymmetricKeyType === 'rsa' ? found : undefined
    } catch {} // it may be the other form
  return undefined
}

/** Refuses encryption without a public key. */
export function assertPublicKey(
  field: string,
  { encryptData, publicKey }: { encryptData?: boolean; publicKey?: string },
): void {
  if (encryptData && !publicKey)
    throw invalidArgument([{ field, message: `${field} is required while encryptData is true` }])
}
