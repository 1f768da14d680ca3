/**
 * Every SQL text of deleting an API key: `$1` is the key, `$2` the most rows to delete at once. They run after the locks,
 * children before parents, so that no foreign key has rows left to delete or to wait for. `offset 0` keeps the planner
 * from reading whole tables. Portions go by `ctid`, which cannot change under the locks.
 */
import type { KeyType } from '#contract/api-keys.ts'
import { statement } from '#platform/db/statement.ts'

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

/** Before everything else: a job that erases users holds its row, and then waits for users and organizations. */
export const DELETE_USER_DATA_DELETIONS = statement<never>(
  'api-keys.delete-user-data-deletions',
  'delete from user_data_deletions where api_key_id = $1',
)

export const DELETE_MAILS = statement<Deleted>(
  'api-keys.delete-mails',
  /* sql */ `
  with portion as materialized (select m.ctid from mails m where m.api_key_id = $1 limit $2::int),
  deleted as (delete from mails m using portion where m.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`,
)

/** Before the organizations are locked: whoever changes users holds them first. */
export const DELETE_USERS = statement<Deleted>(
  'api-keys.delete-users',
  /* sql */ `
  with deleted as (
    delete from users u
     using (select user_id from users where api_key_id = $1 order by user_id limit $2::int) portion
     where u.api_key_id = $1 and u.user_id = portion.user_id
    returning 1
  )
  select count(*) as deleted from deleted`,
)

export const DELETE_MIGRATIONS = statement<Deleted>(
  'api-keys.delete-migrations',
  /* sql */ `
  with portion as materialized (
    select m.ctid from organizations o
     cross join lateral (select m.ctid from document_migrations m where m.organization_key = o.organization_key offset 0) m
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from document_migrations m using portion where m.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`,
)

export const DELETE_GRANTS = statement<Deleted>(
  'api-keys.delete-grants',
  /* sql */ `
  with portion as materialized (
    select g.ctid from organizations o
     cross join lateral (select g.ctid from grants g where g.organization_key = o.organization_key offset 0) g
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from grants g using portion where g.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`,
)

export const DELETE_USER_GROUP_MEMBERS = statement<Deleted>(
  'api-keys.delete-user-group-members',
  /* sql */ `
  with portion as materialized (
    select m.ctid from organizations o
     cross join lateral (select m.ctid from user_group_members m where m.organization_key = o.organization_key offset 0) m
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from user_group_members m using portion where m.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`,
)

export const DELETE_USER_GROUPS = statement<Deleted>(
  'api-keys.delete-user-groups',
  /* sql */ `
  with portion as materialized (
    select g.ctid from organizations o
     cross join lateral (select g.ctid from user_groups g where g.organization_key = o.organization_key offset 0) g
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from user_groups g using portion where g.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`,
)

export const DELETE_ALIASES = statement<Deleted>(
  'api-keys.delete-aliases',
  /* sql */ `
  with portion as materialized (
    select a.ctid from organizations o
     cross join lateral (select a.ctid from document_aliases a where a.organization_key = o.organization_key offset 0) a
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from document_aliases a using portion where a.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`,
)

export const DELETE_DOCUMENTS = statement<Deleted>(
  'api-keys.delete-documents',
  /* sql */ `
  with portion as materialized (
    select r.ctid from organizations o
     cross join lateral (
       select r.ctid from resources r where r.organization_key = o.organization_key and r.kind = 'document' offset 0
     ) r
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from resources r using portion where r.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`,
)

/** The longest paths of an organization first: no portion takes a folder before those inside it. */
export const DELETE_FOLDERS = statement<Deleted>(
  'api-keys.delete-folders',
  /* sql */ `
  with portion as materialized (
    select r.ctid from organizations o
     cross join lateral (
       select r.ctid from resources r where r.organization_key = o.organization_key and r.kind = 'folder'
        order by r.path desc limit $2::int
     ) r
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from resources r using portion where r.ctid = portion.ctid returning 1)
  select count(*) as deleted from deleted`,
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
