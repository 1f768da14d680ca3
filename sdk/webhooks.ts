/** Verifies what signed webhook endpoints are sent, by Standard Webhooks. */
import type { Event, EventType } from './generated/operations.ts'
import { fromBase64, utf8, VerificationError } from './verification.ts'

/** What a signed endpoint is sent, unless its API key has it encoded or encrypted. */
export interface WebhookMessage {
  event: EventType
  /** The last word of `event`. */
  actionType: string
  /** The first word of `event`. */
  source: string
  /** The same each time the message comes: remember those that you have dealt with. */
  webhookId: string
  data: Event
}

export type WebhookFault = 'header_missing' | 'timestamp_out_of_tolerance' | 'signature_wrong'

export interface IncomingWebhook {
  /** The body as it came: what is parsed and written again is signed no more. */
  body: string | Uint8Array
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The secret of the endpoint: `whsec_…`. */
  secret: string
  /** How old a message may be, and how wrong a clock. Default: 300. */
  toleranceSeconds?: number
}

/**
 * Answers the parsed body of a message that is genuine; otherwise throws a `VerificationError`, to be answered with 401.
 * Messages come at least once, under the same `webhookId`.
 */
export async function verifyWebhook<Message = WebhookMessage>(webhook: IncomingWebhook): Promise<Message> {
  const { body, headers, secret, toleranceSeconds = 300 } = webhook
  const id = required(headers, 'webhook-id')
  const timestamp = required(headers, 'webhook-timestamp')
  const signatures = required(headers, 'webhook-signature')
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('body must be what came, a text or bytes, before anything parses it')
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new VerificationError<WebhookFault>(
      'timestamp_out_of_tolerance',
      `The webhook-timestamp is not within ${toleranceSeconds} seconds of now: the message was kept, or a clock is wrong.`,
    )
  const expected = await signature(secret, utf8(`${id}.${timestamp}.`), typeof body === 'string' ? utf8(body) : body)
  const isGenuine = signatures
    .split(' ')
    .map((given) => given.startsWith('v1,') && equal(fromBase64(given.slice(3)), expected))
  if (!isGenuine.includes(true))
    throw new VerificationError<WebhookFault>(
      'signature_wrong',
      'No signature of the message is that of the secret and the body.',
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
  if (bytes === undefined || bytes.length === 0) throw new TypeError('secret must be whsec_ and base64')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return new Uint8Array(await crypto.subtle.sign(algorithm, key, content))
}

/** In the same time wherever they differ. */
function equal(given: Uint8Array | undefined, expected: Uint8Array): boolean {
  if (given?.length !== expected.length) return false
  let difference = 0
  for (const [index, byte] of expected.entries()) difference |= byte ^ (given[index] ?? 0)
  return difference === 0
}
