/**
 * The SQL statements that update, move and delete folders. Each runs under the lock of the organization, after the
 * statement that takes it (ADR 0003), and rewrites the paths and boundaries of whole subtrees. Document rows do not change
 * (rules/access.md#stored-boundary).
 */
import type { FolderChanges } from '#contract/resources/folders.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'
import { FIELDS } from './statements.ts'

/** The rows `r` in the subtree of `top`, including `top`. */
export const IN_SUBTREE = /* sql */ `
  r.organization_key = top.organization_key and r.path >= top.path
  and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/** A folder named in a call; each at most once. */
export interface NamedFolderRow extends OrganizationRow {
  folderId: string
  actor: Actor
}

/** Changes the given fields of folders, and clears those that are null; returns the folders that exist. */
export const UPDATE_FOLDERS = setStatement<NamedFolderRow & { changes: FolderChanges }, { folderId: string }>(
  'folders.update',
  { organizationKey: 'uuid', folderId: 'text', changes: 'jsonb', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.*, r.resource_key, ${FIELDS} as old_fields, ${FIELDS} || item.changes as fields
      from $input
      join resources r on r.organization_key = item.organization_key and r.kind = 'folder' and r.id = item.folder_id
     where r.added_at is not null
  ),
  changed as (select * from named where jsonb_strip_nulls(fields) <> jsonb_strip_nulls(old_fields)),
  updated as (
    update resources r
       set name = fields->>'folderName', metadata = jsonb_strip_nulls(fields - 'folderName'), updated_at = clock_timestamp()
      from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  event as (
    select organization_key, ord as position, 'folder.updated' as type, 'folder'::resource_kind as resource_kind,
           folder_id as resource_id, null::text as user_id, actor, old_fields as before, fields as after
      from changed
  ),
  ${RECORD_EVENTS}
  select folder_id as "folderId" from named`,
)

export type MoveOutcome = 'ok' | 'folder_does_not_exist' | 'parent_does_not_exist' | 'inside_itself' | 'too_deep'

/**
 * Moves folder `$2` into folder `$3`, or to the top level if that is null. Boundaries inside the subtree move with it; rows
 * whose boundary was above it get the boundary of the new parent. `$4` is the maximum depth, `$5` the actor.
 */
export const MOVE_FOLDER = statement<{ outcome: MoveOutcome }>(
  'folders.move',
  /* sql */ `
  with top as materialized (
    select r.organization_key, r.resource_key, r.id, r.path, r.folder_key, cardinality(r.path) as depth
      from resources r where r.organization_key = $1 and r.kind = 'folder' and r.id = $2 and r.added_at is not null
  ),
  target as materialized (
    select r.resource_key, r.path, cardinality(r.path) as depth, r.boundary_depth, r.boundary_key, r.boundary_access_type
      from resources r
     where $3::text is not null and r.organization_key = $1 and r.kind = 'folder' and r.id = $3 and r.added_at is not null
    union all
    select null, r.path, 1, r.boundary_depth, r.boundary_key, r.boundary_access_type
      from resources r where $3::text is null and r.organization_key = $1 and r.resource_key = $1
  ),
  judged as materialized (
    select case when top.path is null then 'folder_does_not_exist'
                when target.path is null then 'parent_does_not_exist'
                when target.path @> array[top.resource_key] then 'inside_itself'
                when target.depth - top.depth + (select max(cardinality(r.path)) from resources r where ${IN_SUBTREE}) > $4::int
                then 'too_deep'
                else 'ok' end as outcome
      from (values (1)) as one left join top on true left join target on true
  ),
  moved as (
    update resources r
       set path = target.path || r.path[top.depth:],
           folder_key = case when r.resource_key = top.resource_key then target.resource_key else r.folder_key end,
           boundary_depth = case when r.boundary_depth < top.depth then target.boundary_depth
                                 else r.boundary_depth + target.depth + 1 - top.depth end,
           boundary_key = case when r.boundary_depth < top.depth then target.boundary_key else r.boundary_key end,
           boundary_access_type = case when r.boundary_depth < top.depth then target.boundary_access_type
                                       else r.boundary_access_type end,
           updated_at = case when r.resource_key = top.resource_key then clock_timestamp() else r.updated_at end
      from top, target, judged
     where judged.outcome = 'ok' and top.folder_key is distinct from target.resource_key and ${IN_SUBTREE}
    returning r.resource_key
  ),
  event as (
    select top.organization_key, 1 as position, 'folder.moved' as type, 'folder'::resource_kind as resource_kind,
           top.id as resource_id, null::text as user_id, $5::jsonb as actor,
           jsonb_build_object('parentFolderId', coalesce(parent.id, 'root')) as before,
           jsonb_build_object('parentFolderId', coalesce($3::text, 'root'), 'folders', (select count(*) from moved)) as after
      from top
      left join resources parent on parent.organization_key = top.organization_key and parent.resource_key = top.folder_key
     where exists (select from moved)
  ),
  ${RECORD_EVENTS}
  select outcome from judged`,
)

/**
 * Deletes folder `$2` with everything inside, and returns the counts; foreign keys delete the grants and aliases. A
 * folder that was never added, but is declared, is deleted too. `$3`: the actor. `$4` and `$5`: how many documents, and
 * grants on them, were already deleted; they are added to the counts. Returns no row if there is no such folder.
 */
export const DELETE_FOLDER = statement<{ folders: number; documents: number; permissions: number }>(
  'folders.delete',
  /* sql */ `
  with top as materialized (
    select r.organization_key, r.id, ${FIELDS} as fields, r.path from resources r
     where r.organization_key = $1 and r.kind = 'folder' and r.id = $2
  ),
  folder as materialized (select r.organization_key, r.resource_key, r.kind, r.ctid as row from resources r, top where ${IN_SUBTREE}),
  subtree as materialized (
    select * from folder
    union all
    select inside.* from folder
     cross join lateral (
       select r.organization_key, r.resource_key, r.kind, r.ctid as row from resources r
        where r.organization_key = folder.organization_key and r.folder_key = folder.resource_key and r.kind = 'document' offset 0
     ) inside
  ),
  deleted as (delete from resources r using subtree where r.ctid = subtree.row), -- the ctid cannot change under the lock
  counts as (
    select (select count(*) from subtree where kind = 'folder') as folders,
           (select count(*) from subtree where kind = 'document') + $4::int as documents,
           $5::int + (select sum((select count(*) from grants g where g.organization_key = $1 and g.resource_key = subtree.resource_key))::int
              from subtree) as permissions
  ),
  event as (
    select organization_key, 1 as position, 'folder.deleted' as type, 'folder'::resource_kind as resource_kind, id as resource_id,
           null::text as user_id, $3::jsonb as actor, fields || to_jsonb(counts) as before,
           null::jsonb as after
      from top, counts
  ),
  ${RECORD_EVENTS}
  select counts.* from top, counts`,
)
