/** A request whose headers have arrived, and whose body arrives when the test says so. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp } from './clean-up.ts'

/** How long the server may take to read headers that have been sent; a later request shows the same. */
const READ_MS = 100

export interface LateRequest {
  /** Sends the rest of the body, and returns the status of the response. */
  finish(): Promise<number>
}

/** Sends a request without the last byte of its body. `finish` sends that. */
export async function requestWithLateBody(
  url: string,
  headers: Readonly<Record<string, string>>,
  data: object,
): Promise<LateRequest> {
  const body = JSON.stringify(data)
  const length = String(Buffer.byteLength(body))
  const sent = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, 'content-length': length },
  }).on('error', () => {})
  cleanUp(() => sent.destroy())
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => {})
  sent.write(body.slice(0, -1))
  await sleep(READ_MS)
  return {
    async finish() {
      sent.end(body.slice(-1))
      const [response] = await answered
      await text(response)
      return response.statusCode ?? 0
    },
  }
}
