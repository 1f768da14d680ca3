/**
 * Builds the request for a message: encodes or encrypts it as configured, and signs it by Standard Webhooks or adds
 * `Authorization: Basic`.
 */
import { constants, createCipheriv, createHmac, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto'

export interface Wrapping {
  encodeData: boolean
  /** The public key for encryption; undefined: not encrypted. */
  encryptFor: KeyObject | undefined
}

/** Returns the body to send. With both options, the encoded payload is encrypted. */
export function wrapped(payload: object, { encodeData, encryptFor }: Wrapping): string {
  const json = JSON.stringify(payload)
  const encoded = encodeData ? JSON.stringify({ encodedPayload: Buffer.from(json).toString('base64') }) : json
  return encryptFor === undefined ? encoded : JSON.stringify(encrypted(encoded, encryptFor))
}

/** Encrypts with AES-256-CBC and a new key, which is included, encrypted with RSA-OAEP and SHA-256. */
function encrypted(text: string, publicKey: KeyObject): object {
  const key = randomBytes(32)
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  return {
    encryptedData: data.toString('base64'),
    encryptedKey: publicEncrypt({ key: publicKey, ...padding }, key).toString('base64'),
    iv: iv.toString('base64'),
  }
}

export interface Envelope {
  /** `webhook-id`. */
  id: string
  /** Seconds. */
  timestamp: number
  body: string
}

/**
 * Returns a signature of the Standard Webhooks scheme: `v1,` and the base64 of an HMAC-SHA256 keyed with the bytes of a
 * `whsec_` secret.
 */
export function signature(secret: string, { id, timestamp, body }: Envelope): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/** Returns the headers. `authToken` is for basic URLs; each of the `secrets` of a signed endpoint adds a signature. */
export function headersOf(
  envelope: Envelope,
  { authToken, secrets }: { authToken: string; secrets: readonly string[] },
  userAgent: string,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': envelope.id,
    'webhook-timestamp': String(envelope.timestamp),
    ...(secrets.length === 0
      ? {}
      : { 'webhook-signature': secrets.map((secret) => signature(secret, envelope)).join(' ') }),
    ...(authToken === '' ? {} : { authorization: `Basic ${authToken}` }),
  }
}
