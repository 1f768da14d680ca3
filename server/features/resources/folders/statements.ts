/** The SQL statements that add and read folders. */
import type { AccessType } from '#contract/access/permissions.ts'
import type { FolderFields } from '#contract/resources/folders.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { OPEN_ORGANIZATIONS, OPENING_EVENTS, opening, RECORD_EVENTS } from '#tenancy/events/record.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

/** The fields of the folder `r` that callers set freely: the name has a column, the others are in `metadata`. */
export const FIELDS = `r.metadata || jsonb_build_object('folderName', r.name)`

export interface FolderRow extends OrganizationRow {
  folderId: string
  fields: FolderFields
  /** Null: at the top level of the organization. */
  parentId: string | null
  accessType: AccessType | null
  folderDepthMax: number
  actor: Actor
}

export interface FolderOutcome {
  folderId: string
  outcome: 'ok' | 'organization_does_not_exist' | 'parent_does_not_exist' | 'already_exists' | 'too_deep'
}

/**
 * Adds folders whose parents already exist, each id at most once. A declared folder keeps its key, and so its grants. The
 * path is the parent's path followed by the folder's key. The boundary is the folder itself if it has its own access type,
 * otherwise the parent's (rules/access.md#stored-boundary).
 */
export const ADD_FOLDERS = setStatement<FolderRow, FolderOutcome>(
  'folders.add',
  {
    organizationKey: 'uuid',
    createOrganization: 'boolean',
    folderId: 'text',
    fields: 'jsonb',
    parentId: 'text',
    accessType: 'access_type',
    folderDepthMax: 'int',
    actor: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, o.added_at is not null as organization_added,
           coalesce(r.resource_key, gen_random_uuid()) as resource_key,
           parent.resource_key as parent_key,
           coalesce(parent.path, array[item.organization_key]) as parent_path,
           coalesce(parent.boundary_depth, 1) as parent_boundary_depth,
           coalesce(parent.boundary_key, item.organization_key) as parent_boundary_key,
           parent.boundary_access_type as parent_boundary_access_type,
           case when o.added_at is null and not item.create_organization then 'organization_does_not_exist'
                when item.parent_id is not null and parent.resource_key is null then 'parent_does_not_exist'
                when r.added_at is not null then 'already_exists'
                when cardinality(parent.path) > item.folder_depth_max then 'too_deep'
                else 'ok' end as outcome
      from $input
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = 'folder' and r.id = item.folder_id limit 1
      ) r on true
      left join lateral (
        select p.* from resources p
         where p.organization_key = item.organization_key and p.kind = 'folder' and p.id = item.parent_id
           and p.added_at is not null limit 1
      ) parent on true
  ),
  accepted as materialized (select *, parent_path || resource_key as path from named where outcome = 'ok'),
  ${opening('accepted')},
  ${OPEN_ORGANIZATIONS},
  written as (
    insert into resources (organization_key, resource_key, kind, id, name, metadata, folder_key, own_access_type, added_at,
                           path, boundary_depth, boundary_key, boundary_access_type)
    select organization_key, resource_key, 'folder', folder_id, fields->>'folderName', fields - 'folderName', parent_key, access_type,
           clock_timestamp(), path,
           case when access_type is null then parent_boundary_depth else cardinality(path) end,
           case when access_type is null then parent_boundary_key else resource_key end,
           coalesce(access_type, parent_boundary_access_type)
      from accepted order by organization_key, folder_id
    on conflict (organization_key, kind, id) do update
       set name = excluded.name, metadata = excluded.metadata, folder_key = excluded.folder_key, own_access_type = excluded.own_access_type,
           added_at = excluded.added_at, path = excluded.path, boundary_depth = excluded.boundary_depth,
           boundary_key = excluded.boundary_key, boundary_access_type = excluded.boundary_access_type
  ),
  event as (${OPENING_EVENTS}
    union all
    select organization_key, ord, 'folder.added', 'folder', folder_id, null, actor, null,
           fields || jsonb_build_object('parentFolderId', coalesce(parent_id, 'root'), 'accessType', access_type)
      from accepted
  ),
  ${RECORD_EVENTS}
  select folder_id as "folderId", outcome from named order by ord`,
)

export interface FolderRecordRow {
  id: string
  fields: FolderFields
  /** Ids from the top level down; the parent is last. */
  ancestors: string[]
  /** The effective access type; null: the API key's default. */
  accessType: AccessType | null
  inherits: boolean
  createdAt: Date
  updatedAt: Date | null
}

export const RECORD = /* sql */ `
  r.id, jsonb_strip_nulls(${FIELDS}) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors`

/** Lists at most `$3` folders of the organization in id order, after `$2`. */
export const LIST_FOLDERS = statement<FolderRecordRow>(
  'folders.list',
  /* sql */ `
  select ${RECORD} from resources r
   where r.organization_key = $1 and r.kind = 'folder' and r.id > coalesce($2::text, '') and r.added_at is not null
   order by r.id limit $3::int`,
)

/** Lists the folders at the top level in the same way. Ordered by all columns of the index, because it is read in order only then. */
export const LIST_TOP_FOLDERS = statement<FolderRecordRow>(
  'folders.list-top',
  /* sql */ `
  select ${RECORD} from resources r
   where r.organization_key = $1 and r.folder_key is null and r.kind = 'folder' and r.id > coalesce($2::text, '')
     and r.added_at is not null
   order by r.folder_key, r.kind, r.id limit $3::int`,
)

/** Lists the direct subfolders of folder `$4` in the same way. */
export const LIST_SUB_FOLDERS = statement<FolderRecordRow>(
  'folders.list-sub',
  /* sql */ `
  select ${RECORD} from resources r
   where r.organization_key = $1 and r.folder_key = $4::uuid and r.kind = 'folder' and r.id > coalesce($2::text, '')
     and r.added_at is not null
   order by r.folder_key, r.kind, r.id limit $3::int`,
)

/** Returns the named folders that exist, in any order. */
export const FIND_FOLDERS = setStatement<{ organizationKey: string; folderId: string }, FolderRecordRow>(
  'folders.find',
  { organizationKey: 'uuid', folderId: 'text' },
  /* sql */ `
  select ${RECORD}
    from $input
   cross join lateral (
      select r.* from resources r
       where r.organization_key = item.organization_key and r.kind = 'folder' and r.id = item.folder_id
         and r.added_at is not null limit 1
    ) r`,
)

export const FIND_FOLDER_KEY = statement<{ folderKey: string }>(
  'folders.find-key',
  /* sql */ `
  select resource_key as "folderKey" from resources
   where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null`,
)

/**
 * Returns a folder and its subfolders, `$3` levels deep, parents before children: at most `$4` rows. It stops after rows
 * that have more than `$5` ancestors in total, so a deep tree that will be refused is not read completely.
 */
export const GET_FOLDER_TREE = statement<FolderRecordRow>(
  'folders.get',
  /* sql */ `
  with top as materialized (
    select organization_key, path from resources
     where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null
  )
  select ${RECORD}
    from (select r.*, sum(cardinality(r.path) - 2) over before as ancestors_before from top
            join resources r on r.organization_key = top.organization_key and r.path >= top.path
             and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
             and cardinality(r.path) <= cardinality(top.path) + $3::int
          window before as (order by cardinality(r.path), r.id rows between unbounded preceding and 1 preceding)
           order by cardinality(r.path), r.id limit $4::int) r
   where coalesce(r.ancestors_before, 0) <= $5::int
   order by cardinality(r.path), r.id`,
)
