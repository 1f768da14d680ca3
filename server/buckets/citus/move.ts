/** `buckets move` of a bucket on Citus: Citus moves the schema, and the fence ensures that no change is lost (ADR 0069). */
import { raiseCounter } from '../move/counter.ts'
import { connectTo, first, MoveRefused, placesOf } from '../move/servers.ts'
import type { CitusAddress, Node } from './address.ts'
import { arrive } from './arrive.ts'
import { findNode, urlAt } from './nodes.ts'

const NODES = `select from pg_dist_node where nodename = $1 and nodeport = $2 and noderole = 'primary' and isactive`

/** Moves a bucket to the node `to` (`host:port`), or has the node serve to which another tool has moved it. */
export async function moveOnCitus(
  address: CitusAddress,
  name: string,
  { to, say }: { to: string | undefined; say: (line: string) => void },
): Promise<void> {
  const coordinator = await connectTo(address.coordinator)
  try {
    const from = await findNode(coordinator, address)
    const target = to === undefined ? from : nodeOf(to)
    if ((await first(coordinator, NODES, [target.host, target.port])) === undefined)
      throw new MoveRefused(`Citus has no node ${to}; its nodes are in pg_dist_node.`)
    if (target.host !== from.host || target.port !== from.port) {
      say(`Moving ${name} from ${from.host}:${from.port} to ${to}.`)
      // Citus waits for nothing that could be done before.
      await raise(address, from, target, say)
      await coordinator
        .query(`select citus_schema_move($1::regnamespace, $2, $3, 'force_logical')`, [
          address.schemas.tables,
          target.host,
          target.port,
        ])
        .catch(explainFailure)
    }
  } finally {
    await coordinator.end()
  }
  say(`The bucket ${name} is at ${placesOf(await arrive(address, say))}.`)
}

/** A node may have been lost, or Citus refuses: whether the bucket is where it was is known only when Citus is asked again. */
function explainFailure(error: Error): never {
  throw new MoveRefused(
    `Citus did not complete the move: ${error.message}. Start the same command again: it continues from where the bucket is.`,
  )
}

function nodeOf(text: string): Node {
  const [, host, port] = /^\[?([^\s/@]+?)\]?:(\d{1,5})$/.exec(text) ?? []
  if (host === undefined) throw new MoveRefused('Name the node of Citus as in pg_dist_node: --to HOST:PORT.')
  return { host, port: Number(port) }
}

async function raise(address: CitusAddress, from: Node, to: Node, say: (line: string) => void): Promise<void> {
  const source = await connectTo(urlAt(address, from))
  try {
    const target = await connectTo(urlAt(address, to))
    await raiseCounter(source, target, say).finally(() => target.end())
  } finally {
    await source.end()
  }
}
