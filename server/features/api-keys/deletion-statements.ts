/**
 * Every SQL text of deleting an API key, made from the list of tables: `$1` is the key, `$2` the most rows to delete at
 * once. They run after the locks, children before parents, so that no foreign key has rows left to delete or to wait for.
 * `offset 0` keeps the planner from reading whole tables. Portions go by `ctid`, which cannot change under the locks.
 */
import type { KeyType } from '#contract/api-keys.ts'
import { type Statement, statement } from '#platform/db/statement.ts'
import { type TableName, tablesWhere } from '#tenancy/tables.ts'

export interface Deleted {
  deleted: number
}

/** No row that refers to the key can come into being from here on: checks of foreign keys wait, and then fail. */
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

const named = (what: string, text: string): [string, Statement<Deleted>] => [
  what,
  statement<Deleted>(`api-keys.delete-${what.replaceAll('_', '-')}`, text),
]

/** A portion of the rows that name the key. */
const portionOfKey = (table: string): string => /* sql */ `
  with portion as materialized (select t.ctid from ${table} t where t.api_key_id = $1 limit $2::int),
  deleted as (delete from ${table} t using portion where t.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`

/** The same where others may change the rows meanwhile: it waits for them, and then deletes what they have changed. */
const portionById = (table: string, id: string): string => /* sql */ `
  with deleted as (
    delete from ${table} t
     using (select ${id} from ${table} where api_key_id = $1 order by ${id} limit $2::int) portion
     where t.api_key_id = $1 and t.${id} = portion.${id}
    returning 1
  )
  select count(*) as deleted from deleted`

const CHANGED_MEANWHILE: Partial<Record<TableName, string>> = { user_data_deletions: 'job_id', users: 'user_id' }

/**
 * Before the organizations are locked: a job that erases users holds its row and then waits for users and organizations,
 * and whoever changes users holds them first.
 */
export const DELETE_OF_KEY: Deletions = Object.fromEntries(
  tablesWhere(({ belongsTo, apiKey }) => belongsTo === 'installation' && apiKey === 'deleted')
    .filter((table) => table !== 'api_keys')
    .map((table) => {
      const id = CHANGED_MEANWHILE[table]
      return named(table, id === undefined ? portionOfKey(table) : portionById(table, id))
    }),
)

/** A portion of the rows in all organizations of the key; `which` ends the search in one of them. */
const portionInOrganizations = (table: string, which: string): string => /* sql */ `
  with portion as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from ${table} t where t.organization_key = o.organization_key ${which}
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from ${table} t using portion where t.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`

/** The longest paths of an organization first: no portion takes a folder before those inside it. */
const RESOURCES = {
  documents: `and t.kind = 'document' offset 0`,
  folders: `and t.kind = 'folder' order by t.path desc limit $2::int`,
}

/** What is in the organizations of the key, when they are locked. */
export const DELETE_IN_ORGANIZATIONS: Deletions = Object.fromEntries(
  tablesWhere(({ belongsTo, apiKey }) => belongsTo === 'organization' && apiKey === 'deleted')
    .filter((table) => table !== 'organizations')
    .flatMap((table) =>
      Object.entries(table === 'resources' ? RESOURCES : { [table]: 'offset 0' }).map(([what, which]) =>
        named(what, portionInOrganizations(table, which)),
      ),
    ),
)

/** With the resources that stand for them: all that is left in them. */
export const DELETE_ORGANIZATIONS = statement<Deleted>(
  'api-keys.delete-organizations',
  /* sql */ `
  with deleted as (
    delete from organizations o
     using (select organization_key from organizations where api_key_id = $1 limit $2::int) portion
     where o.organization_key = portion.organization_key
    returning 1
  )
  select count(*) as deleted from deleted`,
)

/** With its auth tokens and signing keys. */
export const DELETE_API_KEY = statement<never>('api-keys.delete', 'delete from api_keys where api_key_id = $1')
