/** Every SQL text of documents as records. */
import type { AccessType } from '#contract/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { OPEN_ORGANIZATIONS, RECORD_EVENTS } from '#tenancy/events/record.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

export interface NewDocumentRow extends OrganizationRow {
  documentId: string
  name: string | null
  metadata: object
  accessType: AccessType | null
  /** Null: at the top of the organization. */
  folderId: string | null
  createFolder: boolean
  actor: Actor
}

export interface NewDocumentOutcome extends RequestRow {
  documentId: string
  outcome: 'ok' | 'organization_does_not_exist' | 'folder_does_not_exist' | 'already_exists'
  resourceKey: string
}

/**
 * Adds documents; of several requests that add one id the earliest does, the others find it there. One that was only
 * declared keeps its key, and so its grants; an id that a migration left behind is released. A folder that is not there
 * is added at the top when the request says so. Runs under the lock of its organizations.
 */
export const ADD_DOCUMENTS = setStatement<NewDocumentRow & RequestRow, NewDocumentOutcome>(
  'documents.add',
  { req: 'int', documentId: 'text', name: 'text', metadata: 'jsonb', accessType: 'access_type' },
  /* sql */ `
  with place as materialized (
    select request.*, o.added_at is not null as organization_added,
           f.resource_key as folder_key, f.added_at is not null as folder_added,
           case when o.added_at is null and not request.create_organization then 'organization_does_not_exist'
                when request.folder_id is not null and f.added_at is null and not request.create_folder then 'folder_does_not_exist'
           end as refusal
      from $requests
      left join lateral (
        select o.added_at from organizations o where o.organization_key = request.organization_key limit 1
      ) o on true
      left join lateral (
        select f.resource_key, f.added_at from resources f
         where f.organization_key = request.organization_key and f.kind = 'folder' and f.id = request.folder_id limit 1
      ) f on true
  ),
  found as materialized (
    select item.*, p.organization_key, p.organization_added, p.folder_id, p.folder_key, p.folder_added, p.actor,
           coalesce(r.resource_key, gen_random_uuid()) as resource_key, r.resource_key is not null as declared,
           coalesce(p.refusal, case when r.added_at is not null then 'already_exists' else 'ok' end) as outcome
      from $input
      join place p on p.req = item.req
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = p.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
      ) r on true
  ),
  named as materialized (
    select req, ord, organization_key, organization_added, document_id, name, metadata, access_type, folder_id, folder_key,
           folder_added, actor, resource_key, declared,
           case when outcome = 'ok' and row_number() over (partition by organization_key, document_id, outcome order by ord) > 1
                then 'already_exists' else outcome end as outcome
      from found
  ),
  used as (select * from named where outcome in ('ok', 'already_exists')),
  accepted as (select * from named where outcome = 'ok'),
  opening as (select distinct organization_key from used where not organization_added),
  ${OPEN_ORGANIZATIONS},
  new_folder as materialized (
    select distinct on (organization_key, folder_id) organization_key, folder_id, ord, actor,
           coalesce(folder_key, gen_random_uuid()) as folder_key
      from used where folder_id is not null and not folder_added
     order by organization_key, folder_id, ord
  ),
  folders_written as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select organization_key, folder_key, 'folder', folder_id, clock_timestamp(), array[organization_key, folder_key], 1, organization_key
      from new_folder
    on conflict (organization_key, kind, id) do update set added_at = excluded.added_at
  ),
  placed as materialized (
    select a.*, coalesce(a.folder_key, n.folder_key) as place
      from accepted a
      left join new_folder n on n.organization_key = a.organization_key and n.folder_id = a.folder_id
  ),
  written as (
    insert into resources (organization_key, resource_key, kind, id, name, metadata, own_access_type, folder_key, added_at)
    select organization_key, resource_key, 'document', document_id, name, metadata, access_type, place, clock_timestamp()
      from placed where not declared order by organization_key, document_id
  ),
  adopted as (
    update resources r
       set name = p.name, metadata = p.metadata, own_access_type = p.access_type, folder_key = p.place, added_at = clock_timestamp()
      from placed p where p.declared and r.organization_key = p.organization_key and r.resource_key = p.resource_key
  ),
  released as (
    delete from document_aliases d using accepted a
     where d.organization_key = a.organization_key and d.document_id = a.document_id
       and exists (select from place p join document_aliases any_of on any_of.organization_key = p.organization_key) -- mostly none
  ),
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind,
           null as resource_id, null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from (select distinct on (organization_key) * from used where not organization_added order by organization_key, ord) first
    union all
    select organization_key, 1, 'folder.added', 'folder', folder_id, null, actor, null, jsonb_build_object('parentFolderId', 'root')
      from new_folder
    union all
    select organization_key, 1 + ord, 'document.added', 'document', document_id, null, actor, null,
           jsonb_build_object('documentName', name, 'folderId', folder_id, 'accessType', access_type, 'metadata', metadata)
      from accepted
  ),
  ${RECORD_EVENTS}
  select req, document_id as "documentId", outcome, resource_key as "resourceKey" from named order by ord`,
  {
    organizationKey: 'uuid',
    createOrganization: 'boolean',
    folderId: 'text',
    createFolder: 'boolean',
    actor: 'jsonb',
  },
)

/** Whether the organization is there, and the key of a folder of it. */
export const FIND_FOLDER = statement<{ organizationAdded: boolean; folderKey: string | null }>(
  'documents.find-folder',
  /* sql */ `
  select o.added_at is not null as "organizationAdded", f.resource_key as "folderKey"
    from organizations o
    left join resources f on f.organization_key = o.organization_key and f.kind = 'folder' and f.id = $2 and f.added_at is not null
   where o.organization_key = $1`,
)

export interface DocumentRecordRow {
  id: string
  name: string | null
  metadata: Record<string, unknown>
  disabled: boolean
  /** Effective; null: the API key's default. */
  accessType: AccessType | null
  /** Without an access type of its own. */
  inherits: boolean
  folderId: string | null
}

const RECORD = /* sql */ `
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId"`

const FOLDER = /* sql */ `
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true`

/**
 * The documents of `$1` in one place that meet the conditions `$2`: null, or a JSON list of `{ key, values }`, where the
 * metadata field must be equal to one of the values.
 */
const DOCUMENTS = (place: string): string => /* sql */ `
   where r.organization_key = $1 and r.kind = 'document' and r.added_at is not null and ${place}
     and ($2::jsonb is null or not exists (
       select from jsonb_to_recordset($2::jsonb) as condition(key text, "values" jsonb)
        where not coalesce(r.metadata -> condition.key in (select jsonb_array_elements(condition."values")), false)))`

const IN_ORGANIZATION = 'true'
const AT_TOP = 'r.folder_key is null'
const IN_FOLDER = (parameter: string): string => `r.folder_key = ${parameter}::uuid`

/** A page of an organization's documents in id order, after `$3`, at most `$4`. */
export const LIST_DOCUMENTS = statement<DocumentRecordRow>(
  'documents.list',
  /* sql */ `
  select ${RECORD} from resources r ${FOLDER} ${DOCUMENTS(IN_ORGANIZATION)} and r.id > coalesce($3::text, '')
   order by r.id limit $4::int`,
)

/** The same for those outside all folders. Ordered by all columns of the index: only so is it read in order. */
export const LIST_TOP_DOCUMENTS = statement<DocumentRecordRow>(
  'documents.list-top',
  /* sql */ `
  select ${RECORD} from resources r ${FOLDER} ${DOCUMENTS(AT_TOP)} and r.id > coalesce($3::text, '')
   order by r.folder_key, r.kind, r.id limit $4::int`,
)

/** The same for those directly in folder `$5`. */
export const LIST_FOLDER_DOCUMENTS = statement<DocumentRecordRow>(
  'documents.list-folder',
  /* sql */ `
  select ${RECORD} from resources r ${FOLDER} ${DOCUMENTS(IN_FOLDER('$5'))} and r.id > coalesce($3::text, '')
   order by r.id limit $4::int`,
)

const COUNT = (place: string): string => `select count(*) as count from resources r ${DOCUMENTS(place)}`

/** How many documents the organization has. */
export const COUNT_DOCUMENTS = statement<{ count: number }>('documents.count', COUNT(IN_ORGANIZATION))

/** The same for those outside all folders. */
export const COUNT_TOP_DOCUMENTS = statement<{ count: number }>('documents.count-top', COUNT(AT_TOP))

/** The same for those directly in folder `$3`. */
export const COUNT_FOLDER_DOCUMENTS = statement<{ count: number }>('documents.count-folder', COUNT(IN_FOLDER('$3')))

/** The named documents; one that is not there has no record, and `migratedTo` when a migration moved it. */
export const FIND_DOCUMENTS = setStatement<
  { organizationKey: string; documentId: string },
  DocumentRecordRow & { documentId: string; found: boolean; migratedTo: string | null }
>(
  'documents.get',
  { organizationKey: 'uuid', documentId: 'text' },
  /* sql */ `
  select item.document_id as "documentId", r.id is not null as found, moved.id as "migratedTo", ${RECORD}
    from $input
    left join lateral (
      select * from resources r
       where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
         and r.added_at is not null limit 1
    ) r on true ${FOLDER}
    ${joinMigrated('item.organization_key', 'item.document_id', 'r.id is null')}
   order by item.ord`,
)
