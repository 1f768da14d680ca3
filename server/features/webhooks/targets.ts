/** Validates the URLs and public keys of webhooks when they are set. The protection is at the connection (`platform/outbound.ts`). */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { addressInHost, isPublicAddress } from '#platform/addresses.ts'
import { invalidArgument } from '#platform/status-error.ts'

const invalid = (field: string, must: string) => invalidArgument([{ field, message: `${field} must ${must}` }])

/** Refuses a URL with credentials, or with a private address unless those are allowed. An empty URL is valid. */
export function assertWebhookUrl(field: string, url: string | undefined, allowPrivate: boolean): void {
  if (url === undefined || url === '') return
  const { protocol, hostname, username, password } = URL.parse(url) ?? { protocol: '' }
  if (!/^https?:$/.test(protocol)) throw invalid(field, 'be an http or https URL')
  if (username !== '' || password !== '')
    throw invalid(
      field,
      'not contain a user name or password, because URLs are shown and recorded; verify messages by their signature or token',
    )
  if (allowPrivate) return
  const address = addressInHost(hostname ?? '')
  const isLocal = /^(.*\.)?localhost\.*$/.test(hostname ?? '')
  if (isLocal || (address !== undefined && !isPublicAddress(address)))
    throw invalid(field, 'not have a private address; the operator can allow those with WEBHOOK_ALLOW_PRIVATE')
}

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
