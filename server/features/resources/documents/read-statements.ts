/** The SQL statements that find, list and count documents. */
import type { AccessType } from '#contract/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import { withinPage, withinResponse } from '#tenancy/page-bytes.ts'

/** Returns whether the organization exists, and the key of one of its folders. */
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
  /** The effective access type; null: the API key's default. */
  accessType: AccessType | null
  /** The document has no access type of its own. */
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

/** Each condition of the list `$2`, with its place. */
const CONDITIONS = 'jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)'

/**
 * Selects the documents of `$1` in `scope` that match the conditions `$2`: null, or a JSON list of `{ key, values }`, where
 * the metadata field must be equal to one of the values. The list is read once, not for each document: the keys become an
 * array, and the values a hash table, so that a hundred values cost no more than one.
 */
const DOCUMENTS = (scope: string): string => /* sql */ `
   where r.organization_key = $1 and r.kind = 'document' and r.added_at is not null and ${scope}
     and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from ${CONDITIONS} order by c.place))
                     with ordinality as wanted (key, place)
        where not coalesce((wanted.place, r.metadata -> wanted.key) in (
                select c.place, v.value from ${CONDITIONS}
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)
              ), false)))`

const IN_ORGANIZATION = 'true'
const AT_TOP = 'r.folder_key is null'
const IN_FOLDER = (parameter: string): string => `r.folder_key = ${parameter}::uuid`

/** Lists at most `$4` documents of the organization in id order, after `$3`. */
export const LIST_DOCUMENTS = statement<DocumentRecordRow>(
  'documents.list',
  withinPage(
    /* sql */ `
  select ${RECORD} from resources r ${FOLDER} ${DOCUMENTS(IN_ORGANIZATION)} and r.id > coalesce($3::text, '')
   order by r.id limit $4::int`,
    'metadata',
  ),
)

/** Lists the documents at the top level likewise. Ordered by all columns of the index, because it is read in order only then. */
export const LIST_TOP_DOCUMENTS = statement<DocumentRecordRow>(
  'documents.list-top',
  withinPage(
    /* sql */ `
  select ${RECORD} from resources r ${FOLDER} ${DOCUMENTS(AT_TOP)} and r.id > coalesce($3::text, '')
   order by r.folder_key, r.kind, r.id limit $4::int`,
    'metadata',
  ),
)

/** Lists the documents directly in folder `$5` likewise. */
export const LIST_FOLDER_DOCUMENTS = statement<DocumentRecordRow>(
  'documents.list-folder',
  withinPage(
    /* sql */ `
  select ${RECORD} from resources r ${FOLDER} ${DOCUMENTS(IN_FOLDER('$5'))} and r.id > coalesce($3::text, '')
   order by r.id limit $4::int`,
    'metadata',
  ),
)

const COUNT = (scope: string): string => `select count(*) as count from resources r ${DOCUMENTS(scope)}`

/** Counts the documents of the organization. */
export const COUNT_DOCUMENTS = statement<{ count: number }>('documents.count', COUNT(IN_ORGANIZATION))

/** Counts the documents at the top level. */
export const COUNT_TOP_DOCUMENTS = statement<{ count: number }>('documents.count-top', COUNT(AT_TOP))

/** Counts the documents directly in folder `$3`. */
export const COUNT_FOLDER_DOCUMENTS = statement<{ count: number }>('documents.count-folder', COUNT(IN_FOLDER('$3')))

/**
 * Returns a row for each named document: its record if it exists, and `migratedTo` if it was migrated.
 */
export const FIND_DOCUMENTS = setStatement<
  { organizationKey: string; documentId: string },
  DocumentRecordRow & { documentId: string; found: boolean; migratedTo: string | null; hasNext: boolean }
>(
  'documents.get',
  { organizationKey: 'uuid', documentId: 'text' },
  withinResponse(
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
    'metadata',
  ),
)
