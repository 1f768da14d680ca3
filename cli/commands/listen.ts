/** Receiving webhooks on this machine: an endpoint is made, what comes is verified, shown, and handed on. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import type { Client } from '#sdk/client.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { VerificationError } from '#sdk/verification.ts'
import { verifyWebhook, type WebhookMessage } from '#sdk/webhooks.ts'
import { printJsonLine } from '../answers.ts'
import { addCommand } from '../command.ts'
import type { Connection } from '../connection.ts'
import { Failure, wrongUsage } from '../failures.ts'
import { untilInterrupted } from '../interrupt.ts'
import { resource } from '../table.ts'
import { coloured, note, plain, print } from '../terminal.ts'

const BODY_BYTES_MAX = 1_000_000
const FORWARD_TIMEOUT_MS = 15_000
const UNREACHED = '  Does nothing come? The server must have WEBHOOK_ALLOW_PRIVATE=true to reach this machine.'
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/

interface Listening {
  /** Known a moment after the endpoint is there: what comes before waits for it. */
  secret: PromiseWithResolvers<string>
  json: boolean
  forwardTo: string | undefined
}

export function addListen(program: Command): void {
  addCommand(program, 'webhooks listen', {
    summary: 'Receive webhooks on this machine until Ctrl-C, show them, and hand them on.',
    description:
      'Makes a signed endpoint for as long as it listens, verifies what comes, and answers with the status of the program that --forward names, so that what fails there is sent again. A server elsewhere needs an address that leads here: that of a tunnel, in --public-url.',
    examples: [
      'commonhold webhooks listen --forward http://127.0.0.1:3000/hooks',
      'commonhold webhooks listen --port 4000 --public-url https://my-tunnel.example.com --type permission.added',
    ],
    async run({ options, connection }) {
      const { port, publicUrl, forward, type, json } = options as Record<string, string | undefined>
      const types = type as unknown as string[] | undefined
      if (forward !== undefined && !/^https?:\/\//.test(forward))
        throw wrongUsage('--forward must be an http or https URL.')
      refuseWithoutWay(connection(), publicUrl)
      const listening: Listening = { secret: Promise.withResolvers(), json: json !== undefined, forwardTo: forward }
      const server = await listen(portOf(port), listening)
      try {
        const url = publicUrl ?? addressOf(server)
        await untilInterrupted((signal) => withEndpoint(connection(), url, types, listening, signal))
      } finally {
        server.closeAllConnections()
        server.close()
      }
    },
  })
    .option('--port <port>', 'The port to listen on. Absent: a free one.')
    .option('--public-url <url>', 'Where the server reaches this port: the address of a tunnel.')
    .option('--forward <url>', 'Hand each message on, as it came, and answer what that answers.')
    .option('--type <type...>', 'Only events of these types. Absent: all.')
}

function portOf(port: string | undefined): number {
  if (port === undefined) return 0
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw wrongUsage('--port must be a number from 0 to 65535.')
  return Number(port)
}

function refuseWithoutWay({ url }: Connection, publicUrl: string | undefined): void {
  if (publicUrl !== undefined || (URL.canParse(url) && LOOPBACK.test(new URL(url).hostname))) return
  throw wrongUsage(
    `The server at ${url} is not on this machine, and cannot reach a port of it.`,
    'Open a tunnel to a port (with cloudflared, ngrok or ssh -R), and give its address: --port 4000 --public-url https://…',
  )
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

async function listen(port: number, listening: Listening): Promise<Server> {
  const server = createServer((request, response) => {
    receive(request, response, listening).catch((error: unknown) => {
      note(`${coloured('red', '✗', process.stderr)} ${plain(error instanceof Error ? error.message : String(error))}`)
      response.writeHead(500).end()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw wrongUsage(`Port ${port} cannot be listened on: ${error.message}.`, 'Another --port, or none.')
  })
  return server
}

/** The endpoint is there as long as this runs. */
async function withEndpoint(
  connection: Connection,
  url: string,
  filterTypes: string[] | undefined,
  listening: Listening,
  signal: AbortSignal,
): Promise<void> {
  const client = connection.forKey()
  const endpoint = await createEndpoint(client, url, filterTypes)
  try {
    listening.secret.resolve((await client.webhookSecrets.get({ endpointId: endpoint.id })).secret)
    note(`${coloured('green', '✓', process.stderr)} ${endpoint.id} sends to ${url} — Ctrl-C ends it.`)
    if (url.startsWith('http://127.')) note(coloured('dim', UNREACHED, process.stderr))
    if (!signal.aborted) await once(signal, 'abort')
  } finally {
    await client.webhookEndpoints.delete({ endpointId: endpoint.id })
    note(`The endpoint ${endpoint.id} is deleted.`)
  }
}

async function createEndpoint(client: Client, url: string, filterTypes: string[] | undefined): Promise<{ id: string }> {
  const description = 'commonhold webhooks listen'
  try {
    return await client.webhookEndpoints.create({
      url,
      description,
      ...(filterTypes === undefined ? {} : { filterTypes }),
    })
  } catch (error) {
    if (!(error instanceof CommonholdError) || error.reason !== 'advanced_webhooks_disabled') throw error
    throw new Failure('refused', 'Signed webhooks are switched off for this API key.', 'commonhold webhooks enable')
  }
}

async function receive(request: IncomingMessage, response: ServerResponse, listening: Listening): Promise<void> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > BODY_BYTES_MAX) return void response.writeHead(413).end()
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  const { headers } = request
  try {
    const message = await verifyWebhook({ body, headers, secret: await listening.secret.promise })
    const status = listening.forwardTo === undefined ? 204 : await handOn(listening.forwardTo, request, body)
    show(message, status, listening)
    response.writeHead(status).end()
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    note(`${coloured('red', '✗', process.stderr)} not genuine: ${plain(error.message)}`)
    response.writeHead(401).end()
  }
}

/** The message as it came, so that who gets it can verify it too. Answers the status. */
async function handOn(url: string, { headers }: IncomingMessage, body: Buffer): Promise<number> {
  const kept = Object.entries(headers).filter(([name]) => /^(webhook-|content-type$|user-agent$)/.test(name))
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS)
    const sent = {
      method: 'POST',
      headers: Object.fromEntries(kept) as Record<string, string>,
      body: new Uint8Array(body),
    }
    const { status } = await fetch(url, { ...sent, redirect: 'manual', signal })
    return status
  } catch (error) {
    note(
      `${coloured('red', '✗', process.stderr)} ${url} was not reached: ${plain(String((error as Error).cause ?? error))}`,
    )
    return 502
  }
}

function show(message: WebhookMessage, status: number, { json, forwardTo }: Listening): void {
  if (json) {
    printJsonLine({ ...message, status })
    return
  }
  const { event, webhookId, data } = message
  const about = [data?.organizationId, data?.resource === undefined ? undefined : resource(data.resource), data?.userId]
  const what = about.flatMap((part) => (part === undefined ? [] : [`${plain(part)}  `])).join('')
  const answered = forwardTo === undefined ? '' : `  ${coloured(status < 300 ? 'green' : 'red', `→ ${status}`)}`
  print(`${coloured('cyan', plain(String(event)))}  ${what}${coloured('dim', plain(webhookId))}${answered}`)
}
