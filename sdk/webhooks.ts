/** Verifies messages to signed webhook endpoints, by the Standard Webhooks specification. */
import type { Event, EventType } from './generated/operations.ts'
import { fromBase64, utf8, VerificationError } from './verification.ts'

/** The body of a message to a signed endpoint, unless its API key has bodies encoded or encrypted. */
export interface WebhookMessage {
  event: EventType
  /** The last word of `event`. */
  actionType: string
  /** The first word of `event`. */
  source: string
  /** The same for every delivery of a message: record the ids you have processed. */
  webhookId: string
  data: Event
}

export type WebhookFault = 'header_missing' | 'timestamp_out_of_tolerance' | 'signature_wrong'

export interface IncomingWebhook {
  /** The raw body: a body that was parsed and serialized again no longer matches its signature. */
  body: string | Uint8Array
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The secret of the endpoint: `whsec_…`. */
  secret: string
  /** The greatest difference between the time of the message and now. Default: 300. */
  toleranceSeconds?: number | undefined
}

/**
 * Returns the parsed body of a genuine message; throws a `VerificationError` for any other: respond with 401. Messages
 * are delivered at least once, with the same `webhookId`.
 */
export async function verifyWebhook<Message = WebhookMessage>(webhook: IncomingWebhook): Promise<Message> {
  const { body, headers, secret, toleranceSeconds = 300 } = webhook
  const id = required(headers, 'webhook-id')
  const timestamp = required(headers, 'webhook-timestamp')
  const signatures = required(headers, 'webhook-signature')
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('body must be the raw body, a string or bytes, before anything parses it')
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new VerificationError<WebhookFault>(
      'timestamp_out_of_tolerance',
      `The webhook-timestamp is not within ${toleranceSeconds} seconds of now: the message is old, or a clock is wrong.`,
    )
  const expected = await signature(secret, utf8(`${id}.${timestamp}.`), typeof body === 'string' ? utf8(body) : body)
  const matches = signatures
    .split(' ')
    .map((given) => given.startsWith('v1,') && equal(fromBase64(given.slice(3)), expected))
  if (!matches.includes(true))
    throw new VerificationError<WebhookFault>(
      'signature_wrong',
      'No signature of the message matches the secret and the body.',
    )
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
}

function required(headers: IncomingWebhook['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value === 'string' && value !== '') return value
  throw new VerificationError<WebhookFault>('header_missing', `The header ${name} is missing.`)
}

async function signature(secret: string, head: Uint8Array, body: Uint8Array): Promise<Uint8Array> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0) throw new TypeError('secret must be whsec_ followed by base64')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return new Uint8Array(await crypto.subtle.sign(algorithm, key, content))
}

/** Compares in constant time, so that the time does not reveal where the two differ. */
function equal(given: Uint8Array | undefined, expected: Uint8Array): boolean {
  if (given?.length !== expected.length) return false
  let difference = 0
  for (const [index, byte] of expected.entries()) difference |= byte ^ (given[index] ?? 0)
  return difference === 0
}
