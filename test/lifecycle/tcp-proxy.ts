/** A TCP proxy between a server and its database, which a test can make hang, close, and open again. */
import { createServer, connect as dial, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** Keeps connections and accepts new ones, but passes no data: the database seems to hang. */
  hang(): void
  /** Breaks connections and refuses new ones: the database seems to be down. */
  shut(): Promise<void>
  /** Passes all data again, starting with the bytes that were held back. */
  open(): Promise<void>
  /** Connects new connections to another server; open ones stay. */
  leadTo(other: { host: string; port: number }): void
  close(): Promise<void>
}

export async function startTcpProxy(first: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>()
  let hanging = false
  let target = first
  const server = createServer((near) => {
    const far = dial(target)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near]] as const) {
      if (hanging) from.pause()
      from.on('data', (chunk) => to.write(chunk))
      from.on('error', () => {}) // both ends are closed together, below
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
    if (hanging) for (const socket of pair) socket.pause()
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const shut = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const [near, far] of pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
    await closed
  }
  return {
    port,
    hang() {
      hanging = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    shut,
    leadTo(other) {
      target = other
    },
    async open() {
      hanging = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
      if (!server.listening) await listen(port)
    },
    close: async () => {
      if (server.listening) await shut()
    },
  }
}
