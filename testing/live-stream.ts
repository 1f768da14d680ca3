/** A page that reads a live stream: the events that it has received, in order. */
import { cleanUp } from './clean-up.ts'
import { until } from './eventually.ts'

interface LiveEvent {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of any shape
  data: any
  /** The number of ids that were received before this event. */
  idsBefore: number
}

export interface LivePage {
  http: number
  headers: Headers
  /** The text of a refusal. */
  refusal: string
  readonly events: LiveEvent[]
  /** The received data, as it was sent. */
  readonly text: string
  readonly lastId: string
  /** The number of ids that were received, except those of heartbeats: the events before an id are complete rounds. */
  readonly ids: number
  /** Whether the server has ended the stream. */
  readonly isEnded: boolean
  /** Waits until there are `count` events of a type, and returns all of that type. */
  received(event: string, count?: number): Promise<LiveEvent['data'][]>
  close(): void
}

/** Opens a stream. Stops it at the end of the test or file. */
export async function openLivePage(
  url: string,
  bearer: string,
  data: object,
  headers: Record<string, string> = {},
): Promise<LivePage> {
  const aborting = new AbortController()
  const response = await fetch(`${url}/v2/live`, {
    method: 'POST',
    signal: aborting.signal,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data }),
  })
  const events: LiveEvent[] = []
  const state = { text: '', lastId: '', ids: 0, isEnded: false }
  const page: LivePage = {
    http: response.status,
    headers: response.headers,
    refusal: response.ok ? '' : await response.text(),
    events,
    get text() {
      return state.text
    },
    get lastId() {
      return state.lastId
    },
    get ids() {
      return state.ids
    },
    get isEnded() {
      return state.isEnded
    },
    async received(event, count = 1) {
      const ofType = () => events.filter((one) => one.event === event).map((one) => one.data)
      await until(`${count} events "${event}"`, () => ofType().length >= count)
      return ofType()
    },
    close: () => aborting.abort(),
  }
  cleanUp(page.close)
  const { body } = response
  if (response.ok && body !== null)
    void read(body, (block) => {
      state.text += `${block}\n\n`
      const lines = block.split('\n')
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const id = field('id')
      if (id !== undefined) state.lastId = id
      if (id !== undefined && !block.startsWith(': heartbeat')) state.ids++
      const event = field('event')
      if (event !== undefined) {
        const data = JSON.parse(field('data') ?? '{}')
        events.push({ event, data, idsBefore: state.ids })
      }
    }).finally(() => {
      state.isEnded = true
    })
  return page
}

/** Reads the blocks of a stream until it ends. */
async function read(body: ReadableStream<Uint8Array>, handle: (block: string) => void): Promise<void> {
  let pending = ''
  try {
    for await (const part of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
      const blocks = (pending + part).split('\n\n')
      pending = blocks.pop() ?? ''
      for (const block of blocks) handle(block)
    }
  } catch {} // the page or the server has closed it
}
