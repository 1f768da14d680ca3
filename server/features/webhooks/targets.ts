/** What is certainly wrong with a URL or key that events are to be sent with, told when it is set. What is guarded is the connection (`platform/outbound.ts`). */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { addressInHost, isPublicAddress } from '#platform/addresses.ts'
import { invalidArgument } from '#platform/status-error.ts'

const refuse = (field: string, must: string) => invalidArgument([{ field, message: `${field} must ${must}` }])

/** Refuses a URL that holds credentials, or that names an address inside where those are not open. Empty: none. */
export function assertWebhookUrl(field: string, url: string | undefined, allowPrivate: boolean): void {
  if (url === undefined || url === '') return
  const { protocol, hostname, username, password } = URL.parse(url) ?? { protocol: '' }
  if (!/^https?:$/.test(protocol)) throw refuse(field, 'be an http or https URL')
  if (username !== '' || password !== '')
    throw refuse(field, 'not hold a user name or password: it is shown and recorded; messages prove by what they carry')
  if (allowPrivate) return
  const address = addressInHost(hostname ?? '')
  const isLocal = /^(.*\.)?localhost\.*$/.test(hostname ?? '')
  if (isLocal || (address !== undefined && !isPublicAddress(address)))
    throw refuse(field, 'not lead to an address inside; the operator can open those with WEBHOOK_ALLOW_PRIVATE')
}

const BITS_MIN = 2_048
/** Longer ones take too long for each message. */
const BITS_MAX = 8_192

/** The base64 text of an RSA public key without what PEM has around it. Refuses what is none. Empty: none. */
export function plainPublicKey(field: string, text: string): string {
  const plain = text.replace(/-----[A-Z ]+-----/g, '').replace(/\s/g, '')
  if (plain === '') return ''
  const bits = publicKeyOf(plain)?.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < BITS_MIN || bits > BITS_MAX)
    throw refuse(field, `be the base64 text of an RSA public key of ${BITS_MIN} to ${BITS_MAX} bit`)
  return plain
}

/** As `openssl rsa -pubout` writes it, or with `-RSAPublicKey_out`. */
export function publicKeyOf(plain: string): KeyObject | undefined {
  const key = Buffer.from(plain, 'base64')
  for (const type of ['spki', 'pkcs1'] as const)
    try {
      const found = createPublicKey({ key, format: 'der', type })
      return found.asymmetricKeyType === 'rsa' ? found : undefined
    } catch {} // it may be the other form
  return undefined
}

/** Refuses encryption without the key for it. */
export function assertPublicKey(
  field: string,
  { encryptData, publicKey }: { encryptData?: boolean; publicKey?: string },
): void {
  if (encryptData && !publicKey)
    throw invalidArgument([{ field, message: `${field} is required while encryptData is true` }])
}
