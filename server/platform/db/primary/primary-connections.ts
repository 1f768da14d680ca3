/**
 * The connections that lead to the primary: examined when they are opened, and closed when another server becomes the
 * primary, also those that are still being opened. A host that hangs would keep their callers waiting.
 */
import type { Duplex } from 'node:stream'
import pg from 'pg'
import type { PostgresHost } from '../postgres-url.ts'

interface Admission {
  /** The host that new connections lead to. */
  host: PostgresHost
  /** A connection is being opened. */
  opens(client: pg.ClientBase): void
  /** Examines a new connection. Throws if it does not lead to the primary. */
  admit(client: pg.ClientBase, host: PostgresHost): Promise<void>
}

/** Returns the part of a pool's configuration that opens connections to the primary alone. */
export function leadingTo(primary: Admission): pg.PoolConfig {
  class PrimaryClient extends pg.Client {
    /** The host that the connection leads to, for its cancellations. */
    readonly url: string
    readonly #host: PostgresHost

    constructor(config?: pg.ClientConfig) {
      const { host } = primary
      super({ ...config, connectionString: host.url })
      this.url = host.url
      this.#host = host
      primary.opens(this)
    }

    admit(): Promise<void> {
      return primary.admit(this, this.#host)
    }
  }
  return { Client: PrimaryClient, onConnect: (client): unknown => (client as PrimaryClient).admit() }
}

export class Admitted {
  readonly #clients = new Set<pg.ClientBase>()

  add(client: pg.ClientBase): void {
    this.#clients.add(client)
    client.once('end', () => this.#clients.delete(client))
  }

  /** Closes every connection; statements under way fail as if the server had. */
  sever(): void {
    for (const client of this.#clients) sever(client)
    this.#clients.clear()
  }
}

/** Breaks a connection as a network does. The driver fails what it has under way, and the pool opens another connection. */
function sever(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: Duplex } }
  connection.stream.destroy(new Error('Connection terminated: the server is not the primary any more'))
}
