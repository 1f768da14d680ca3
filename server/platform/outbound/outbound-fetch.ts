/** `fetch` for libraries that talk to addresses that callers choose, through the guard of outgoing connections (`guarded-agent.ts`). */
import { errorCodeOf, type GuardOptions, guardedAgent } from './guarded-agent.ts'
import { type OutboundRequest, readWhole } from './outbound.ts'

export interface FetchRequest extends Omit<OutboundRequest, 'body'> {
  method: 'GET' | 'POST'
  body: string | null
  /** A longer response is an error. */
  responseBytesMax: number
}

/** There is no whole response. `code` says why, such as `address_not_allowed`, `timeout` or `response_too_large`. */
export class OutboundFailed extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the address was not reached: ${code}`)
    this.code = code
  }
}

export function createOutboundFetch(options: GuardOptions) {
  const agent = guardedAgent(options)

  async function read(url: string, request: FetchRequest, signal: AbortSignal): Promise<Response> {
    const { origin, pathname, search } = new URL(url)
    const headers = { ...request.headers, 'accept-encoding': 'identity' }
    const { method, body } = request
    const response = await agent.request({ origin, path: pathname + search, method, headers, body, signal })
    const whole = await readWhole(response.body, request.responseBytesMax)
    if (whole === undefined) throw new OutboundFailed('response_too_large')
    if ((response.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new OutboundFailed('response_encoded')
    const { statusCode: status } = response
    const names = Object.entries(response.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    )
    return new Response(whole.length === 0 ? null : new Uint8Array(whole), { status, headers: names })
  }

  return {
    /** Sends a request, follows no redirect, and returns the whole response. Throws `OutboundFailed`. */
    async fetch(url: string, request: FetchRequest): Promise<Response> {
      const timeout = AbortSignal.timeout(request.timeoutMs)
      const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal])
      try {
        return await read(url, request, signal)
      } catch (error) {
        if (error instanceof OutboundFailed) throw error
        throw new OutboundFailed(timeout.aborted ? 'timeout' : errorCodeOf(error))
      }
    },

    close: (): Promise<void> => agent.destroy(),
  }
}
