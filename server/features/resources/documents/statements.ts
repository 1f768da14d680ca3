/** The SQL statement that adds documents. */
import type { AccessType } from '#contract/access/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { OPEN_ORGANIZATIONS, OPENING_EVENTS, opening, RECORD_EVENTS } from '#tenancy/events/record.ts'
import type { AccessInForce } from '#tenancy/public-access.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { isLocked, type OrganizationRow } from '#tenancy/writes/organization.ts'

export interface NewDocumentRow extends OrganizationRow {
  documentId: string
  name: string | null
  metadata: object
  accessType: AccessType | null
  disabled: boolean
  /** Null: at the top level of the organization. */
  folderId: string | null
  createFolder: boolean
  /** The transaction is known to have locked the organization (`isLocked`). */
  isLocked: boolean
  actor: Actor
}

export interface NewDocumentOutcome extends RequestRow, AccessInForce {
  documentId: string
  outcome: 'ok' | 'organization_does_not_exist' | 'folder_does_not_exist' | 'already_exists'
  resourceKey: string
}

/**
 * Adds documents. If several requests add the same id, the first one succeeds and the others get `already_exists`. A
 * declared document keeps its key, and so its grants. An alias left by a migration is deleted. A missing folder is added at
 * the top level if the request allows it. Runs under the lock of its organizations.
 */
export const ADD_DOCUMENTS = setStatement<NewDocumentRow & RequestRow, NewDocumentOutcome>(
  'documents.add',
  { req: 'int', documentId: 'text', name: 'text', metadata: 'jsonb', accessType: 'access_type', disabled: 'boolean' },
  /* sql */ `
  with target as materialized (
    select request.*, o.added_at is not null as organization_added,
           f.resource_key as folder_key, f.shelf_key, f.added_at is not null as folder_added, f.boundary_access_type,
           case when o.added_at is null and not request.create_organization then 'organization_does_not_exist'
                when request.folder_id is not null and f.added_at is null and not request.create_folder then 'folder_does_not_exist'
           end as refusal
      from $requests
      left join lateral (
        select o.added_at from organizations o where o.organization_key = request.organization_key and ${isLocked('request')} limit 1
      ) o on true
      left join lateral (
        select f.resource_key, f.shelf_key, f.added_at, f.boundary_access_type from resources f
         where f.organization_key = request.organization_key and f.kind = 'folder' and f.id = request.folder_id limit 1
      ) f on true
  ),
  found as materialized (
    select item.*, p.organization_key, p.organization_added, p.folder_id, p.folder_key, p.shelf_key, p.folder_added, p.actor,
           case when item.access_type is not null then item.access_type::text
                when p.boundary_access_type = 'public' then 'public ' || p.folder_id
                else p.boundary_access_type::text end as access,
           coalesce(r.resource_key, gen_random_uuid()) as resource_key, r.resource_key is not null as declared,
           coalesce(p.refusal, case when r.added_at is not null then 'already_exists' else 'ok' end) as outcome
      from $input
      join target p on p.req = item.req
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = p.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
      ) r on true
  ),
  named as materialized (
    select req, ord, organization_key, organization_added, document_id, name, metadata, access_type, disabled, folder_id,
           folder_key, shelf_key, folder_added, actor, access, resource_key, declared,
           case when outcome = 'ok' and row_number() over (partition by organization_key, document_id, outcome order by ord) > 1
                then 'already_exists' else outcome end as outcome
      from found
  ),
  used as (select * from named where outcome in ('ok', 'already_exists')),
  accepted as (select * from named where outcome = 'ok'),
  ${opening('used')},
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
    select a.*, coalesce(a.folder_key, n.folder_key) as parent_key, coalesce(a.shelf_key, n.folder_key) as parent_shelf_key
      from accepted a
      full join new_folder n on n.organization_key = a.organization_key and n.folder_id = a.folder_id -- as in STORE_EVENTS
     where coalesce(a.ord is not null, false)
  ),
  written as (
    insert into resources (organization_key, resource_key, kind, id, name, metadata, own_access_type, disabled, folder_key, shelf_key, added_at)
    select organization_key, resource_key, 'document', document_id, name, metadata, access_type, disabled, parent_key, parent_shelf_key, clock_timestamp()
      from placed where not declared order by organization_key, document_id
  ),
  adopted as (
    update resources r
       set name = p.name, metadata = p.metadata, own_access_type = p.access_type, disabled = p.disabled, folder_key = p.parent_key,
           added_at = clock_timestamp()
      from placed p where p.declared and r.organization_key = p.organization_key and r.resource_key = p.resource_key
  ),
  released as (
    delete from document_aliases d using accepted a
     where d.organization_key = a.organization_key and d.document_id = a.document_id
       and exists (select from target p join document_aliases any_of on any_of.organization_key = p.organization_key) -- skips the deletion if the organization has no aliases
  ),
  event as (${OPENING_EVENTS}
    union all
    select organization_key, 1, 'folder.added', 'folder', folder_id, null, actor, null, jsonb_build_object('parentFolderId', 'root')
      from new_folder
    union all
    select organization_key, 1 + ord, 'document.added', 'document', document_id, null, actor, null,
           jsonb_build_object('documentName', name, 'folderId', folder_id, 'accessType', access_type, 'metadata', metadata)
             || case when disabled then '{"disabled": true}'::jsonb else '{}' end
      from accepted
  ),
  ${RECORD_EVENTS}
  select req, document_id as "documentId", outcome, access, resource_key as "resourceKey" from named order by ord`,
  {
    organizationKey: 'uuid',
    createOrganization: 'boolean',
    folderId: 'text',
    createFolder: 'boolean',
    isLocked: 'boolean',
    actor: 'jsonb',
  },
)
