/**
 * The SQL statements that delete an API key, generated from the list of tables. `$1` is the key, `$2` the maximum number of
 * rows of one batch. They run after the locks, children before parents, so foreign keys have nothing left to delete or
 * wait for. `offset 0` keeps the planner from reading whole tables. Batches use `ctid`, which cannot change under the locks.
 */
import type { KeyType } from '#contract/keys/api-keys.ts'
import { type Statement, statement } from '#platform/db/statement.ts'
import { type TableName, tablesWhere } from '#tenancy/tables.ts'

export interface Deleted {
  deleted: number
}

/** Locks the key. From here on no row that refers to it can be created: foreign key checks wait, and then fail. */
export const CLOSE_API_KEY = statement<{ name: string; type: KeyType; ownerEmail: string }>(
  'api-keys.close',
  'select name, type, owner_email as "ownerEmail" from api_keys where api_key_id = $1 for update',
)

export const LOCK_ORGANIZATIONS_OF_KEY = statement<{ count: number }>(
  'api-keys.lock-organizations',
  /* sql */ `
  select count(*) as count
    from (select from organizations where api_key_id = $1 order by organization_key for update) locked`,
)

type Deletions = Readonly<Record<string, Statement<Deleted>>>

const deletion = (rows: string, text: string): [string, Statement<Deleted>] => [
  rows,
  statement<Deleted>(`api-keys.delete-${rows.replaceAll('_', '-')}`, text),
]

/** Deletes a batch of the rows that refer to the key. */
const batchOfKey = (table: string): string => /* sql */ `
  with batch as materialized (select t.ctid from ${table} t where t.api_key_id = $1 limit $2::int),
  deleted as (delete from ${table} t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted`

/** Does the same for tables whose rows other transactions may be changing: it waits for them and deletes the changed rows. */
const batchById = (table: string, id: string): string => /* sql */ `
  with deleted as (
    delete from ${table} t
     using (select ${id} from ${table} where api_key_id = $1 order by ${id} limit $2::int) batch
     where t.api_key_id = $1 and t.${id} = batch.${id}
    returning 1
  )
  select count(*) as deleted from deleted`

const CONCURRENTLY_CHANGED: Partial<Record<TableName, string>> = {
  user_access_revocations: 'job_id',
  user_data_deletions: 'job_id',
  users: 'user_id',
}

/**
 * Runs before the organizations are locked: a job about users locks its own row and then waits for users and
 * organizations, and every change of users locks them first.
 */
export const DELETE_OF_KEY: Deletions = Object.fromEntries(
  tablesWhere(({ belongsTo, apiKey }) => belongsTo === 'installation' && apiKey === 'deleted')
    .filter((table) => table !== 'api_keys')
    .map((table) => {
      const id = CONCURRENTLY_CHANGED[table]
      return deletion(table, id === undefined ? batchOfKey(table) : batchById(table, id))
    }),
)

/** Deletes a batch of the rows in all organizations of the key. `selection` completes the query for one organization. */
const batchInOrganizations = (table: string, selection: string): string => /* sql */ `
  with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from ${table} t where t.organization_key = o.organization_key ${selection}
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from ${table} t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted`

/** Folders are deleted longest path first, so no batch deletes a folder before its subfolders. */
const RESOURCES = {
  documents: `and t.kind = 'document' offset 0`,
  folders: `and t.kind = 'folder' order by t.path desc limit $2::int`,
}

/** Deletes the contents of the key's organizations. Runs after they are locked. */
export const DELETE_IN_ORGANIZATIONS: Deletions = Object.fromEntries(
  tablesWhere(({ belongsTo, apiKey }) => belongsTo === 'organization' && apiKey === 'deleted')
    .filter((table) => table !== 'organizations')
    .flatMap((table) =>
      Object.entries(table === 'resources' ? RESOURCES : { [table]: 'offset 0' }).map(([rows, selection]) =>
        deletion(rows, batchInOrganizations(table, selection)),
      ),
    ),
)

/** Deletes the organizations with their own resource rows, the only rows left in them. */
export const DELETE_ORGANIZATIONS = statement<Deleted>(
  'api-keys.delete-organizations',
  /* sql */ `
  with deleted as (
    delete from organizations o
     using (select organization_key from organizations where api_key_id = $1 limit $2::int) batch
     where o.organization_key = batch.organization_key
    returning 1
  )
  select count(*) as deleted from deleted`,
)

/** Deletes the key with its auth tokens and signing keys. */
export const DELETE_API_KEY = statement<never>('api-keys.delete', 'delete from api_keys where api_key_id = $1')
