/**
 * Makes the node that has a bucket the one that serves it. On the serving node, the tables have their names as views of
 * the shards, in a schema that only one node has at a time. First that schema is renamed on the other nodes, so that
 * nobody reads their old rows, and then it is created here. In between, nobody can change the bucket: the fence refuses
 * changes on the old node, and the new node does not have the names yet.
 */
import type pg from 'pg'
import { raiseCounter, waitUntilPast } from '../move/counter.ts'
import { BucketUnreachable, connectTo, first } from '../move/servers.ts'
import { CONTINUE } from '../move/switch.ts'
import type { CitusAddress, Node, Schemas } from './address.ts'
import { findNode, otherNodes, urlAt } from './nodes.ts'

/** One session prepares a bucket at a time. */
export const LOCK = 'select pg_advisory_lock(hashtextextended($1, 69))'

interface Table {
  name: string
  /** The qualified name of its shard. */
  shard: string
}

/** `$1`: the distributed schema. */
const TABLES = /* sql */ `
  select c.relname as name, shard_name(c.oid, s.shardid) as shard
    from pg_class c join pg_dist_shard s on s.logicalrelid = c.oid
   where c.relnamespace = (select oid from pg_namespace where nspname = $1)`

/** Counts the views; Citus drops them with the shards that it moved away. */
const COUNT_HERE = /* sql */ `
  select (select count(*)::int from pg_views where schemaname = $2) as views,
         (select count(*)::int from pg_dist_partition d join pg_class c on c.oid = d.logicalrelid
           where c.relnamespace = (select oid from pg_namespace where nspname = $1)) as tables`

async function isServed(at: pg.ClientBase, { tables, here }: Schemas): Promise<boolean> {
  const found = await first<{ views: number; tables: number }>(at, COUNT_HERE, [tables, here])
  return found !== undefined && found.views === found.tables
}

/** Prepares the node that has a bucket, unless it serves already, and returns its URL. */
export async function arrive(address: CitusAddress, say: (line: string) => void = () => {}): Promise<string> {
  const coordinator = await connectTo(address.coordinator)
  try {
    const seen = await findNode(coordinator, address)
    if (await within(urlAt(address, seen), (at) => isServed(at, address.schemas))) return urlAt(address, seen)
    await coordinator.query(LOCK, [address.schemas.tables])
    const node = await findNode(coordinator, address)
    const url = urlAt(address, node)
    await within(url, async (at) => {
      if (await isServed(at, address.schemas)) return
      const { rows: sequences } = await coordinator.query<Sequence>(SEQUENCES, [address.schemas.numbers])
      const left = await leaveOthers(address, await otherNodes(coordinator, node), at, say)
      await serve(at, address.schemas, { ...left, anchor: node.anchor, sequences })
    })
    return url
  } finally {
    await coordinator.end()
  }
}

async function within<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectTo(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

interface Sequence {
  /** The table and the column that it numbers, as `distribute.ts` writes them. */
  name: string
  /** Null: it has not been used. */
  last: string | null
}

const SEQUENCES = 'select sequencename as name, last_value::text as last from pg_sequences where schemaname = $1'

interface Left {
  /** Whether the transaction counter of the node is ahead of those of all nodes that had the bucket. */
  isAhead: boolean
  /** The last number of each sequence on any node. */
  numbers: Map<string, bigint>
}

async function noteNumbers(
  client: pg.ClientBase,
  { numbers: schema }: Schemas,
  numbers: Left['numbers'],
): Promise<void> {
  const { rows } = await client.query<Sequence>(SEQUENCES, [schema])
  for (const { name, last } of rows)
    if (last !== null && BigInt(last) > (numbers.get(name) ?? 0n)) numbers.set(name, BigInt(last))
}

async function leaveOthers(
  address: CitusAddress,
  others: readonly Node[],
  at: pg.ClientBase,
  say: (line: string) => void,
): Promise<Left> {
  const left: Left = { isAhead: true, numbers: new Map() }
  await noteNumbers(at, address.schemas, left.numbers)
  for (const other of others)
    await within(urlAt(address, other), async (client) => {
      await withdraw(client, address.schemas)
      if (!(await hadBucket(client, address.schemas))) return
      await noteNumbers(client, address.schemas, left.numbers)
      if (await raiseCounter(client, at, say)) await waitUntilPast(client, at, say)
      else left.isAhead = false
    })
  return left
}

/**
 * Removes the names of the tables. Renaming their schema waits for no statement, and the next statement of every
 * session, prepared or not, finds no table. Citus drops the views with the shards.
 */
export async function withdraw(client: pg.ClientBase, { here, left }: Schemas): Promise<void> {
  await client.query('set citus.enable_ddl_propagation = off; set client_min_messages = warning')
  if ((await first(client, 'select from pg_namespace where nspname = $1', [here])) === undefined) return
  await client.query(`drop schema if exists ${left} cascade; alter schema ${here} rename to ${left}`)
}

/** The coordinator has sequences too, but it has served a bucket only if it has marked that. */
const hadBucket = async (client: pg.ClientBase, { numbers }: Schemas): Promise<boolean> =>
  (await first(client, 'select from pg_namespace where nspname = $1 and obj_description(oid) = $2', [
    numbers,
    SERVED,
  ])) !== undefined

const SERVED = 'commonhold: has served the bucket'

/** Creates the names, while Citus cannot move the bucket away. */
async function serve(
  at: pg.ClientBase,
  schemas: Schemas,
  { anchor, isAhead, numbers, sequences }: Left & { anchor: string; sequences: readonly Sequence[] },
): Promise<void> {
  const { tables, here, numbers: schema } = schemas
  await withdraw(at, schemas)
  await at.query('begin')
  await at.query('select lock_shard_metadata(5, array[$1::bigint])', [anchor])
  if ((await first(at, IS_PLACED, [anchor])) === undefined)
    throw new BucketUnreachable('Citus has moved the bucket to another node in the meantime.')
  await at.query(`create schema ${here}; create schema if not exists ${schema}`)
  await at.query(`comment on schema ${schema} is '${SERVED}'`)
  const { rows } = await at.query<Table>(TABLES, [tables])
  // Statements use these columns of every table, which a view has only if it names them.
  for (const { name, shard } of rows)
    await at.query(`create view ${here}.${name} as select t.*, t.ctid, t.xmin from ${shard} t`)
  for (const { name } of sequences) {
    const [table, column] = name.split('__')
    await at.query(`create sequence if not exists ${schema}.${name}`)
    await at.query(`alter view ${here}.${table} alter ${column} set default nextval('${schema}.${name}')`)
    const last = numbers.get(name)
    if (last !== undefined) await at.query('select setval($1::regclass, $2::bigint)', [`${schema}.${name}`, last])
  }
  if ((await first(at, 'select from database_epochs limit 1')) !== undefined) await at.query(CONTINUE, [isAhead])
  await at.query('commit')
}

const IS_PLACED =
  'select from pg_dist_placement where shardid = $1::bigint and groupid = (select groupid from pg_dist_local_group)'
