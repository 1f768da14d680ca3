/** Distributes the schema of a bucket, at the coordinator of Citus. */
import type pg from 'pg'
import type { CitusAddress, Schemas } from './address.ts'
import { fenceCommands } from './fence.ts'
import { findNode } from './nodes.ts'

/**
 * Types and functions have names on every node, tables only on the node that serves them: Citus's own tables, which our
 * statements must not find, have the same names.
 */
const moveNames = (from: string, to: string) => /* sql */ `
  do $$ declare it record; begin
    for it in select oid::regtype as type from pg_type where typnamespace = '${from}'::regnamespace and typtype = 'e' loop
      execute format('alter type %s set schema ${to}', it.type);
    end loop;
    for it in select oid::regprocedure as function from pg_proc where pronamespace = '${from}'::regnamespace loop
      execute format('alter function %s set schema ${to}', it.function);
    end loop;
  end $$`

/** Puts the names where migrations expect them. */
export const gatherNames = async (coordinator: pg.ClientBase, { tables, names }: Schemas): Promise<void> => {
  await coordinator.query(moveNames(names, tables))
}

/**
 * Citus numbers the rows of each node in a range of its own, so some moves would lower the numbers. Therefore the
 * sequences of a node are set to continue those of the previous node (`arrive.ts`). The sequences at the coordinator
 * only tell which sequences exist.
 */
const separateNumbers = ({ tables, numbers }: Schemas) => /* sql */ `
  do $$ declare it record; begin
    for it in select c.relname as name, a.attname as column
                from pg_attribute a join pg_class c on c.oid = a.attrelid
               where c.relnamespace = '${tables}'::regnamespace and a.attidentity <> '' loop
      execute format('alter table ${tables}.%I alter %I drop identity', it.name, it.column);
      execute format('create sequence if not exists ${numbers}.%I', it.name || '__' || it.column);
    end loop;
  end $$`

export async function distribute(coordinator: pg.ClientBase, address: CitusAddress): Promise<void> {
  const { schemas } = address
  await coordinator.query('set citus.enable_unsafe_triggers = on; set client_min_messages = warning')
  await coordinator.query(moveNames(schemas.tables, schemas.names))
  await coordinator.query(separateNumbers(schemas))
  await coordinator.query('select citus_schema_distribute($1)', [schemas.tables])
  const { anchor } = await findNode(coordinator, address)
  for (const command of fenceCommands(schemas, anchor)) await coordinator.query(command)
}
