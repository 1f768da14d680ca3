/**
 * The fence that every change of a bucket on Citus passes. With a lock, Citus keeps its own sessions from changing a
 * shard while it switches the shard to another node. Our sessions change the shard without Citus, so a trigger takes
 * the same lock for them, and refuses the change if the bucket is then on another node. So a move with any tool of
 * Citus loses nothing (ADR 0069).
 */
import type pg from 'pg'
import { databaseOf, tablesWhere } from '#tenancy/tables.ts'
import type { Schemas } from './address.ts'

const FENCED = tablesWhere(() => true).filter((table) => databaseOf(table) !== 'home')

/** The number of ShareLock, which Citus's own changes take. */
const SHARE_LOCK = 5

/** The error is the same as for a schema that does not exist, as in a database that was closed by a move (`open.ts`). */
const fenceFunction = ({ names }: Schemas) => /* sql */ `
  create or replace function ${names}.pass_fence() returns trigger language plpgsql as $$
  declare
    anchor bigint := tg_argv[0];
  begin
    perform pg_catalog.lock_shard_metadata(${SHARE_LOCK}, array[anchor]);
    perform from pg_catalog.pg_dist_placement p
     where p.shardid = anchor and p.groupid = (select groupid from pg_catalog.pg_dist_local_group);
    if not found then raise exception 'Citus has moved the bucket to another node' using errcode = '3F000'; end if;
    return null;
  end $$`

/**
 * Returns the commands that build the fence, at the coordinator, which must allow triggers: Citus creates the triggers
 * of the shards, and again where they move to.
 */
export const fenceCommands = (schemas: Schemas, anchor: string): string[] => [
  fenceFunction(schemas),
  ...FENCED.map(
    (table) => /* sql */ `
      create trigger commonhold_fence before insert or update or delete on ${schemas.tables}.${table}
         for each statement execute function ${schemas.names}.pass_fence('${anchor}')`,
  ),
]

/** Removes the triggers from a schema that is not distributed. Shards that Citus has not deleted yet still need the function. */
export async function unfence(coordinator: pg.ClientBase, { tables }: Schemas): Promise<void> {
  await coordinator.query(/* sql */ `
    do $$ declare it record; begin
      for it in select tgrelid::regclass as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
                 where t.tgname = 'commonhold_fence' and c.relnamespace = '${tables}'::regnamespace loop
        execute format('drop trigger commonhold_fence on %s', it.name);
      end loop;
    end $$`)
}
