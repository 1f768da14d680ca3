/** A minimal caller of the API: one request per call, no retries, and the response unchanged. Asserts that the contract allows it. */
import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import type { DataOf, Operation, ResultOf } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { assertInContract } from './in-contract.ts'

export interface Answer {
  http: number
  headers: Headers
  /** The body as received. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  body: any
}

export interface Client {
  readonly headers: Readonly<Record<string, string>>
  /** Posts `{ data }` to a path such as `/v2/organizations/add`. */
  post(path: string, data: unknown): Promise<Answer>
  /** Posts any body. */
  raw(path: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Answer>
  /** Calls an operation and returns `result.data`. Throws with the whole response when it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: an operation of whatever schemas
  call<Op extends Operation<any, any>>(operation: Op, data: DataOf<Op>): Promise<ResultOf<Op>>
  /** Returns a client of the same server with other headers. */
  with(headers: Record<string, string>): Client
  newKey(settings?: Partial<DataOf<typeof createApiKey>>): Promise<Client>
}

interface Sent {
  path: string
  headers: Record<string, string>
  body: string | Uint8Array
}

type Send = (request: Sent) => Promise<Pick<Answer, 'http' | 'headers' | 'text'>>

/** Sends requests to a URL. */
const overHttp =
  (url: string): Send =>
  async ({ path, headers, body }) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: body as string })
    return { http: response.status, headers: response.headers, text: await response.text() }
  }

/** Hands requests to a server of this process, without a socket. */
const inProcess =
  (http: FastifyInstance): Send =>
  async ({ path, headers, body }) => {
    const payload =
      typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const response = await http.inject({ method: 'POST', url: path, headers, payload })
    return {
      http: response.statusCode,
      headers: new Headers(response.headers as Record<string, string>),
      text: response.payload,
    }
  }

type Workspace = ResultOf<typeof createWorkspace>

/**
 * The workspaces for new keys of a server, by turns: two keys that are created in succession get different workspaces,
 * and later keys share these. Creating a workspace costs twice as much as creating a key.
 */
const workspaces = new WeakMap<Send, { next: number; created: Promise<Workspace>[] }>()
const WORKSPACES = 2

let signups = 0

async function nextWorkspace(send: Send): Promise<Workspace> {
  const known = workspaces.get(send) ?? { next: 0, created: [] }
  workspaces.set(send, known)
  const turn = known.next++ % WORKSPACES
  const ownerEmail = `owner${process.pid}.${++signups}@example.com`
  known.created[turn] ??= clientOf(send, {}).call(createWorkspace, { ownerEmail })
  known.created[turn].catch(() => delete known.created[turn]) // the next call tries again
  return known.created[turn]
}

export const createClient = (url: string, headers: Record<string, string> = {}): Client =>
  clientOf(overHttp(url), headers)

export const createInProcessClient = (http: FastifyInstance): Client => clientOf(inProcess(http), {})

function clientOf(send: Send, headers: Record<string, string>): Client {
  const raw: Client['raw'] = async (path, body, more = {}) => {
    const sent = await send({ path, headers: { 'content-type': 'application/json', ...headers, ...more }, body })
    const answer: Answer = { ...sent, body: sent.text.startsWith('{') ? JSON.parse(sent.text) : sent.text }
    assertInContract(path, answer)
    return answer
  }
  const client: Client = {
    headers,
    raw,
    post: (path, data) => raw(path, JSON.stringify({ data })),
    async call(operation, data) {
      const answer = await client.post(operation.path, data)
      if (answer.http !== 200) throw new Error(`${operation.name}: ${answer.http} ${answer.text}`)
      return answer.body.result.data
    },
    with: (more) => clientOf(send, more),
    async newKey(settings = {}) {
      const anybody = clientOf(send, {})
      const workspace = await nextWorkspace(send)
      const asOwner = anybody.with({
        'x-service-workspace-id': workspace.id,
        'x-service-auth-token': workspace.authToken,
      })
      const { apiKey, authToken } = await asOwner.call(createApiKey, {
        ownerEmail: workspace.owner.email,
        type: 'testing',
        createAuthToken: true,
        ...settings,
      })
      return anybody.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken ?? '' })
    },
  }
  return client
}

/** Yields the result of each page of a list. `read` calls with the token of the page, undefined for the first. */
export async function* pagesOf(read: (pageToken: string | undefined) => Promise<Omit<Answer, 'headers'>>) {
  let pageToken: string | undefined
  do {
    const { http, body, text } = await read(pageToken)
    assert.equal(http, 200, text)
    yield body.result
    pageToken = body.result.nextPageToken
  } while (pageToken !== undefined)
}
