/** `webhooks listen`: creates an endpoint, and verifies, prints and forwards the messages that arrive at this machine. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { EVENT_TYPES } from '#contract/events/event-types.ts'
import type { Client } from '#sdk/client.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { EventNames } from '#sdk/event-sentences/names.ts'
import { VerificationError } from '#sdk/verification.ts'
import { verifyWebhook, type WebhookMessage } from '#sdk/webhooks.ts'
import { addCommand } from '../../command.ts'
import type { Connection } from '../../connection/connection.ts'
import { isOwnMachine } from '../../connection/local-server.ts'
import { Failure, wrongUsage } from '../../failures.ts'
import { untilInterrupted } from '../../interrupt.ts'
import { eventText } from '../../terminal/event-lines.ts'
import { printJsonLine } from '../../terminal/output.ts'
import { coloured, colouredNote, note, plain, print } from '../../terminal/terminal.ts'
import { portOf } from '../../values.ts'

const BODY_BYTES_MAX = 1_000_000
const FORWARD_TIMEOUT_MS = 15_000

interface Listener {
  /** Resolves shortly after the endpoint is created; messages that arrive before wait for it. */
  secret: PromiseWithResolvers<string>
  json: boolean
  forwardTo: string | undefined
}

export function addListen(program: Command): void {
  addCommand(program, 'webhooks listen', {
    summary: 'Receive webhooks on this machine until Ctrl-C, print them, and forward them.',
    description:
      'Creates a temporary signed endpoint, verifies the messages, and responds with the status of the program at --forward, so that the server retries messages that fail there. A server on another machine needs a public address for this one, such as a tunnel: --public-url.',
    examples: [
      'commonhold webhooks listen --forward http://127.0.0.1:3000/hooks',
      'commonhold webhooks listen --port 4000 --public-url https://my-tunnel.example.com --type permission.added',
    ],
    async run({ options, connection }) {
      const { port, publicUrl, forward, type, json } = options as Record<string, string | undefined>
      const types = (type as unknown as string[] | undefined)?.flatMap(typesOf)
      if (forward !== undefined && !/^https?:\/\//.test(forward))
        throw wrongUsage('--forward must be an http or https URL.')
      requireReachableAddress(connection(), publicUrl)
      const listener: Listener = { secret: Promise.withResolvers(), json: json !== undefined, forwardTo: forward }
      const server = await listen(portOf(port), listener)
      try {
        const url = publicUrl ?? addressOf(server)
        await untilInterrupted((signal) => withEndpoint(connection(), url, types, listener, signal))
      } finally {
        server.closeAllConnections()
        server.close()
      }
    },
  })
    .option('--port <port>', 'The port to listen on. Absent: a free port.')
    .option('--public-url <url>', 'The address at which the server reaches this port, such as the address of a tunnel.')
    .option('--forward <url>', 'Forward each message unchanged to this URL, and respond with its status.')
    .option('--type <type...>', 'Only events of these types, or families of types such as permission.*. Absent: all.')
}

/** Endpoints know no families of types such as `permission.*`, so each is sent as its types. */
function typesOf(word: string): string[] {
  const family = word.endsWith('.*') ? word.slice(0, -1) : undefined
  const types = Object.keys(EVENT_TYPES).filter((type) =>
    family === undefined ? type === word : type.startsWith(family),
  )
  if (types.length === 0)
    throw wrongUsage(
      `--type must be a type of event, such as permission.added or permission.*; it is ${JSON.stringify(word)}.`,
      'To see the type of each event: commonhold events list',
    )
  return types
}

function requireReachableAddress({ url }: Connection, publicUrl: string | undefined): void {
  if (publicUrl !== undefined || isOwnMachine(url)) return
  throw wrongUsage(
    `The server at ${url} is not on this machine and cannot reach its ports.`,
    'Open a tunnel to a port (with cloudflared, ngrok or ssh -R) and pass its address: --port 4000 --public-url https://…',
  )
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

async function listen(port: number, listener: Listener): Promise<Server> {
  const server = createServer((request, response) => {
    receive(request, response, listener).catch((error: unknown) => {
      note(`${colouredNote('red', '✗')} ${plain(error instanceof Error ? error.message : String(error))}`)
      response.writeHead(500).end()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw wrongUsage(`Cannot listen on port ${port}: ${error.message}.`, 'Use another --port, or none.')
  })
  return server
}

/** Creates the endpoint and deletes it when the signal is aborted. */
async function withEndpoint(
  connection: Connection,
  url: string,
  filterTypes: string[] | undefined,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  const client = connection.forKey()
  const endpoint = await createEndpoint(client, url, filterTypes)
  try {
    listener.secret.resolve((await client.webhookSecrets.get({ endpointId: endpoint.id })).secret)
    note(`${colouredNote('green', '✓')} ${endpoint.id} sends to ${url} (stop with Ctrl-C)`)
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
    if (!(error instanceof CommonholdError)) throw error
    if (error.reason === 'advanced_webhooks_disabled')
      throw new Failure('refused', 'Signed webhooks are disabled for this API key.', 'commonhold webhooks enable')
    if (error.faults.some(({ field, message }) => field === 'url' && message.includes('WEBHOOK_ALLOW_PRIVATE')))
      throw new Failure(
        'refused',
        'The server sends no webhooks to this machine: by default it connects to public addresses only.',
        'For development, start it with WEBHOOK_ALLOW_PRIVATE=true. Or open a tunnel and pass its address: --public-url https://…',
      )
    throw error
  }
}

async function receive(request: IncomingMessage, response: ServerResponse, listener: Listener): Promise<void> {
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
    const message = await verifyWebhook({ body, headers, secret: await listener.secret.promise })
    const status = listener.forwardTo === undefined ? 204 : await forward(listener.forwardTo, request, body)
    show(message, status, listener)
    response.writeHead(status).end()
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    note(`${colouredNote('red', '✗')} not genuine: ${plain(error.message)}`)
    response.writeHead(401).end()
  }
}

/** Forwards a message unchanged, so that the receiver can verify it too. Returns the status of the response. */
async function forward(url: string, { headers }: IncomingMessage, body: Buffer): Promise<number> {
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
    note(`${colouredNote('red', '✗')} Cannot reach ${url}: ${plain(String((error as Error).cause ?? error))}`)
    return 502
  }
}

function show(message: WebhookMessage, status: number, { json, forwardTo }: Listener): void {
  if (json) {
    printJsonLine({ ...message, status })
    return
  }
  const { webhookId, data } = message
  // Shows only names that are in the message: a call for each message would not keep up with a burst.
  const what = eventText({ event: data, names: new EventNames().add({ events: [data] }) })
  const outcome = forwardTo === undefined ? '' : `  ${coloured(status < 300 ? 'green' : 'red', `→ ${status}`)}`
  print(`${what}  ${coloured('dim', plain(webhookId))}${outcome}`)
}
