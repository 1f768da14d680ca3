/** Reads the catalog of Citus: which nodes exist, and which of them has a bucket. */
import type pg from 'pg'
import { connectTo, first, MoveRefused, placesOf } from '../move/servers.ts'
import { type CitusAddress, type Node, nodeUrl, withSearchPath } from './address.ts'

/** The shard of this table represents the whole bucket: the tables of a distributed schema have one shard each, and move together. */
const ANCHOR = 'schema_migrations'

/** `$1`: the distributed schema. */
const FIND = /* sql */ `
  select n.nodename as host, n.nodeport as port, s.shardid::text as anchor
    from pg_catalog.pg_dist_shard s
    join pg_catalog.pg_dist_placement p on p.shardid = s.shardid
    join pg_catalog.pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
   where s.logicalrelid = (select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
                            where s.nspname = $1 and c.relname = '${ANCHOR}')`

const OTHERS = /* sql */ `
  select nodename as host, nodeport as port from pg_catalog.pg_dist_node
   where noderole = 'primary' and isactive and (nodename, nodeport) <> ($1, $2) order by nodeid`

export interface Found extends Node {
  /** The shard whose lock and placement every change passes (`fence.ts`). */
  anchor: string
}

/** Returns the node that has a bucket. Throws if the schema is not distributed. */
export async function findNode(
  coordinator: pg.ClientBase,
  { coordinator: url, schemas }: CitusAddress,
): Promise<Found> {
  const found = await first<Found>(coordinator, FIND, [schemas.tables])
  if (found === undefined)
    throw new MoveRefused(
      `Citus at ${placesOf(url)} has no distributed schema ${schemas.tables} with the tables of a bucket.`,
    )
  return found
}

export const otherNodes = async (coordinator: pg.ClientBase, { host, port }: Node): Promise<Node[]> =>
  (await coordinator.query<Node>(OTHERS, [host, port])).rows

/** Returns the URL of a node, whose sessions find the tables of the bucket only while it is served there. */
export const urlAt = ({ coordinator, schemas }: CitusAddress, node: Node): string =>
  withSearchPath(nodeUrl(coordinator, node), [schemas.here, schemas.names])

/** Asks the coordinator where a bucket is. */
export async function placeOnCitus(address: CitusAddress): Promise<string> {
  const coordinator = await connectTo(address.coordinator)
  try {
    return urlAt(address, await findNode(coordinator, address))
  } finally {
    await coordinator.end()
  }
}
