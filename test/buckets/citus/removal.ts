/** Removes a bucket from Citus. */
import type { CitusAddress } from '../../../server/buckets/citus/address.ts'
import { query } from '../bucket-world.ts'

/** Removes a bucket from all nodes. */
export async function remove({ coordinator, schemas }: CitusAddress): Promise<void> {
  const { tables, names, numbers, here, left } = schemas
  const local = `set citus.enable_ddl_propagation = off; drop schema if exists ${here}, ${left}, ${numbers} cascade`
  await query(coordinator, `select run_command_on_all_nodes($$${local}$$)`)
  await query(coordinator, `drop schema if exists ${tables}, ${names} cascade`)
}
