/** The SQL statements that change and delete documents. Each runs under the lock of the organization; each id may appear only once. */
import type { AccessType } from '#contract/access/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { type DeclaredRow, joinHolding } from '#tenancy/declared.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import { FITS, MERGED } from '#tenancy/metadata.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

/** A document named in a call; each at most once. */
export interface NamedDocumentRow extends OrganizationRow {
  documentId: string
  actor: Actor
}

export interface ChangeOutcome {
  documentId: string
  /** Null: the document does not exist. */
  resourceKey: string | null
  /** The current id, if the document was migrated. */
  migratedTo: string | null
  outcome: 'ok' | 'too_large'
}

/** The CTE `named`: the documents with their current values. `resource_key` is null if a document does not exist. */
const NAMED = /* sql */ `
  named as materialized (
    select item.*, r.resource_key, r.name as old_name, r.metadata as old_metadata, r.own_access_type as old_access_type,
           r.disabled as old_disabled, r.folder_key as old_folder_key, moved.id as migrated_to
      from $input
      left join lateral (
        select r.* from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) r on true
      ${joinMigrated('item.organization_key', 'item.document_id', 'r.resource_key is null')}
  )`

/** Writes the events described by `event_type`, `before` and `after` of the CTE `changed`, and selects the outcome of each row. */
const RECORD_AND_RETURN = (outcome = "'ok'"): string => /* sql */ `
  event as (
    select organization_key, ord as position, event_type as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor, before, after
      from changed
  ),
  ${RECORD_EVENTS}
  select document_id as "documentId", resource_key as "resourceKey", migrated_to as "migratedTo", ${outcome} as outcome
    from named order by ord`

/** Merges name and metadata, or replaces the metadata. A null clears the metadata field or the name. */
export const UPDATE_DOCUMENTS = setStatement<
  NamedDocumentRow & { renames: boolean; name: string | null; replaces: boolean; metadata: object },
  ChangeOutcome
>(
  'documents.update',
  {
    organizationKey: 'uuid',
    documentId: 'text',
    renames: 'boolean',
    name: 'text',
    replaces: 'boolean',
    metadata: 'jsonb',
    actor: 'jsonb',
  },
  /* sql */ `
  with ${NAMED},
  merged as materialized (
    select *, case when renames then name else old_name end as new_name,
           ${MERGED("case when replaces then '{}' else old_metadata end", 'metadata')} as new_metadata
      from named where resource_key is not null
  ),
  checked as materialized (select *, ${FITS('new_metadata', 'old_metadata')} as fits from merged),
  changed as materialized (
    select *, 'document.updated' as event_type,
           jsonb_build_object('documentName', old_name, 'metadata', old_metadata) as before,
           jsonb_build_object('documentName', new_name, 'metadata', new_metadata) as after
      from checked where fits and (old_name, old_metadata) is distinct from (new_name, new_metadata)
  ),
  written as (
    update resources r set name = c.new_name, metadata = c.new_metadata, updated_at = clock_timestamp() from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  ${RECORD_AND_RETURN("case when exists (select from checked where checked.ord = named.ord and not fits) then 'too_large' else 'ok' end")}`,
)

/** Moves documents to the existing folder `folder_key`, or to the top level if that is null. */
export const MOVE_DOCUMENTS = setStatement<
  NamedDocumentRow & { folderKey: string | null; folderId: string },
  ChangeOutcome
>(
  'documents.move',
  { organizationKey: 'uuid', documentId: 'text', folderKey: 'uuid', folderId: 'text', actor: 'jsonb' },
  /* sql */ `
  with ${NAMED},
  changed as materialized (
    select n.*, 'document.moved' as event_type, jsonb_build_object('folderId', coalesce(f.id, 'root')) as before,
           jsonb_build_object('folderId', n.folder_id) as after
      from named n
      left join resources f on f.organization_key = n.organization_key and f.resource_key = n.old_folder_key
     where n.resource_key is not null and n.old_folder_key is distinct from n.folder_key
  ),
  written as (
    update resources r set folder_key = c.folder_key, updated_at = clock_timestamp() from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  ${RECORD_AND_RETURN()}`,
)

/** Sets the access type of documents, or clears it if null. */
export const SET_DOCUMENT_ACCESS = setStatement<NamedDocumentRow & { accessType: AccessType | null }, ChangeOutcome>(
  'document-access.set',
  { organizationKey: 'uuid', documentId: 'text', accessType: 'access_type', actor: 'jsonb' },
  /* sql */ `
  with ${NAMED},
  changed as materialized (
    select *, 'document.access_changed' as event_type, jsonb_build_object('accessType', old_access_type) as before,
           jsonb_build_object('accessType', access_type) as after
      from named where resource_key is not null and old_access_type is distinct from access_type
  ),
  written as (
    update resources r set own_access_type = c.access_type, updated_at = clock_timestamp() from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  ${RECORD_AND_RETURN()}`,
)

/** Disables or enables documents for all users. */
export const DISABLE_DOCUMENTS = setStatement<NamedDocumentRow & { disabled: boolean }, ChangeOutcome>(
  'documents.disable',
  { organizationKey: 'uuid', documentId: 'text', disabled: 'boolean', actor: 'jsonb' },
  /* sql */ `
  with ${NAMED},
  changed as materialized (
    select *, case when disabled then 'document.disabled' else 'document.enabled' end as event_type,
           jsonb_build_object('disabled', old_disabled) as before, jsonb_build_object('disabled', disabled) as after
      from named where resource_key is not null and old_disabled <> disabled
  ),
  written as (
    update resources r set disabled = c.disabled, updated_at = clock_timestamp() from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  ${RECORD_AND_RETURN()}`,
)

/** Deletes documents that were never added, but are declared; returns those, with the numbers of their grants and invitations. */
export const DELETE_DECLARED_DOCUMENTS = setStatement<NamedDocumentRow, DeclaredRow>(
  'documents.delete-declared',
  { organizationKey: 'uuid', documentId: 'text', actor: 'jsonb' },
  /* sql */ `
  with changed as materialized (
    select item.*, r.resource_key, holding.permissions, holding.invitations
      from $input
     cross join lateral (
       select r.organization_key, r.resource_key from resources r
        where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
          and r.added_at is null limit 1
     ) r
      ${joinHolding}
  ),
  deleted as (
    delete from resources r using changed c where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  event as (
    select organization_key, ord as position, 'document.deleted' as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor,
           jsonb_build_object('documentName', null, 'metadata', '{}'::jsonb, 'permissions', permissions) as before, null::jsonb as after
      from changed
  ),
  ${RECORD_EVENTS}
  select document_id as id, resource_key as "resourceKey", permissions, invitations from changed`,
)

/** Deletes documents. Foreign keys delete their grants and the aliases that point to them. */
export const DELETE_DOCUMENTS = setStatement<NamedDocumentRow, ChangeOutcome>(
  'documents.delete',
  { organizationKey: 'uuid', documentId: 'text', actor: 'jsonb' },
  /* sql */ `
  with ${NAMED},
  deleted as (
    delete from resources r using named n
     where r.organization_key = n.organization_key and r.resource_key = n.resource_key
  ),
  changed as materialized (
    select n.*, 'document.deleted' as event_type,
           jsonb_build_object('documentName', old_name, 'metadata', old_metadata, 'permissions',
             (select count(*) from grants g where g.organization_key = n.organization_key and g.resource_key = n.resource_key)) as before,
           null::jsonb as after
      from named n where resource_key is not null
  ),
  ${RECORD_AND_RETURN()}`,
)
