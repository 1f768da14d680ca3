/** A receiver of webhooks: a plain HTTP server that records requests and responds as configured. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { patient } from '../run/mode.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** The body as received. */
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: as each kind of message has it
  json: any
}

/** A status with headers and body, or no response: the request hangs, or the connection is broken. */
export type Reply =
  | { status: number; headers?: Record<string, string>; body?: string; afterMs?: number }
  | 'hang'
  | 'break'

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Returns the reply to a request; can be replaced at any time. */
  answer: (received: Received) => Reply | Promise<Reply>
  /** Waits until it has received `count` matching requests, and returns them. */
  until(count: number, matches?: (received: Received) => boolean): Promise<Received[]>
  close(): void
}

const WAIT_MS = patient(30_000)
const OK: Reply = { status: 204 }

/** Starts a receiver on a free port. It does not keep the process alive. */
export async function startReceiver(answer: Receiver['answer'] = () => OK): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const got = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body) }
    received.push(got)
    const reply = await receiver.answer(got)
    if (reply === 'break') request.socket.destroy()
    else if (reply !== 'hang') {
      await sleep(reply.afterMs ?? 0)
      response.writeHead(reply.status, reply.headers).end(reply.body)
    }
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer,
    async until(count, matches = () => true) {
      const deadline = Date.now() + WAIT_MS
      for (;;) {
        const matching = received.filter(matches)
        if (matching.length >= count) return matching
        if (Date.now() > deadline)
          throw new Error(`${matching.length} of ${count} arrived: ${JSON.stringify(received)}`)
        await sleep(5)
      }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}
