/**
 * Follows a document and an inbox live: one stream of server-sent events for all elements of a page, which is closed
 * while the page is hidden, because browsers allow few connections to a server. If it cannot be opened, the elements
 * poll for changes.
 */
import type { Connection } from './connection.ts'

type LiveEvent = 'ready' | 'thread' | 'inbox' | 'document' | 'reset' | 'end'

export interface Follower {
  /** The subject of the stream: a document or, without one, the inbox. */
  documentId?: string
  on(event: LiveEvent, data: Record<string, unknown>): void
}

/** The server sends a comment every 15 seconds. */
const SILENCE_MS_MAX = 45_000
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000
const SETTLE_MS = 50

class Live {
  readonly #organizationId: string
  /** With their connections. The latest has the token of who is signed in now. */
  readonly #followers = new Map<Follower, Connection>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #stream: AbortController | undefined
  #lastId = ''
  #failures = 0
  /** Whether changes arrive by themselves at the moment. */
  isOpen = false

  readonly #lookAgain = () => this.#open(SETTLE_MS)

  constructor(organizationId: string) {
    this.#organizationId = organizationId
    document.addEventListener('visibilitychange', this.#lookAgain)
    window.addEventListener('online', this.#lookAgain)
  }

  /** Whether nobody follows anything. */
  get isIdle(): boolean {
    return this.#followers.size === 0
  }

  end(): void {
    document.removeEventListener('visibilitychange', this.#lookAgain)
    window.removeEventListener('online', this.#lookAgain)
  }

  /** Adds a follower, until the returned function is called. */
  follow(follower: Follower, connection: Connection): () => void {
    this.#followers.set(follower, connection)
    this.#restart()
    return () => {
      this.#followers.delete(follower)
      this.#restart()
    }
  }

  /** Opens another stream: what is followed has changed, so there is no position to resume from. */
  #restart(): void {
    this.#lastId = ''
    this.#stream?.abort()
    this.#open(SETTLE_MS)
  }

  #open(afterMs: number): void {
    clearTimeout(this.#timer)
    if (document.visibilityState !== 'visible') {
      this.#stream?.abort()
      return
    }
    if (this.#followers.size > 0) this.#timer = setTimeout(() => void this.#run(), afterMs)
  }

  async #run(): Promise<void> {
    if (this.#stream !== undefined && !this.#stream.signal.aborted) return
    const stream = new AbortController()
    this.#stream = stream
    let isOffered = true
    try {
      isOffered = await this.#read(stream)
    } catch {} // the connection was lost, or closed by us
    if (this.#stream !== stream) return
    this.#stream = undefined
    this.isOpen = false
    if (!isOffered || stream.signal.aborted) return
    this.#open(Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** this.#failures++) * (0.5 + Math.random()))
  }

  /** Reads the stream to its end. Returns false where the server has none, or does not take the token. */
  async #read(stream: AbortController): Promise<boolean> {
    const followers = [...this.#followers.keys()]
    const connection = [...this.#followers.values()].at(-1)
    if (connection === undefined) return false
    const documentIds = [...new Set(followers.flatMap(({ documentId }) => documentId ?? []))]
    const inbox = followers.some(({ documentId }) => documentId === undefined)
    const data = { organizationId: this.#organizationId, documentIds, inbox }
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const heard = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX)
    }
    heard()
    try {
      const signal = AbortSignal.any([stream.signal, silence.signal])
      const used = connection.token()
      const response = await connection.open('live', data, used, this.#lastId, signal)
      if (response.status === 404) return false
      if (response.status === 401) return connection.renew(used)
      if (response.status === 400) this.#lastId = '' // of a server that does not know the position any more
      if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`)
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      let pending = ''
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        heard()
        const blocks = (pending + part.value).split('\n\n')
        pending = blocks.pop() ?? ''
        for (const block of blocks) this.#take(block, () => connection.renew(used))
      }
      return true
    } finally {
      clearTimeout(timer)
      silence.abort() // or the connection stays open after a block that cannot be read
    }
  }

  #take(block: string, renew: () => void): void {
    // Only line feeds end lines: a comment may have a line separator (U+2028), which ends the line of a regular expression.
    const lines = block.split('\n')
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    this.#lastId = field('id') ?? this.#lastId
    const event = field('event') as LiveEvent | undefined
    if (event === undefined) return
    const data = JSON.parse(field('data') ?? '{}') as Record<string, unknown>
    if (event === 'end' && data.reason === 'signed_out') renew()
    if (event === 'ready') {
      this.isOpen = true
      this.#failures = 0
    }
    for (const follower of this.#followers.keys()) follower.on(event, data)
  }
}

/** The streams by their subject: one stream serves all elements with the same server, token and organization. */
const streams = new Map<string, Live>()

/** Follows until the returned function is called; `isOpen` says whether changes arrive by themselves at the moment. */
export function followLive(
  connection: Connection,
  { identity, organizationId }: { identity: string; organizationId: string },
  follower: Follower,
): { isOpen: () => boolean; stop: () => void } {
  const live = streams.get(identity) ?? new Live(organizationId)
  streams.set(identity, live)
  const stop = live.follow(follower, connection)
  return {
    isOpen: () => live.isOpen,
    stop() {
      stop()
      if (!live.isIdle) return
      live.end()
      streams.delete(identity)
    },
  }
}
