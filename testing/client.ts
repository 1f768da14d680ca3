/** A minimal caller of the API: one fetch per call, no retries, and the response unchanged. Asserts that the contract allows it. */

import { createApiKey } from '#contract/api-keys.ts'
import type { DataOf, Operation, ResultOf } from '#contract/operation.ts'
import { createWorkspace } from '#contract/workspaces.ts'
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

let signups = 0

export function createClient(url: string, headers: Record<string, string> = {}): Client {
  const raw: Client['raw'] = async (path, body, more = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...more },
      body: body as string,
    })
    const text = await response.text()
    const answer: Answer = {
      http: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    }
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
    with: (more) => createClient(url, more),
    async newKey(settings = {}) {
      const anybody = createClient(url)
      const workspace = await anybody.call(createWorkspace, {
        ownerEmail: `owner${process.pid}.${++signups}@example.com`,
      })
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
