/** The SQL statements that find, list and count documents. */
import type { AccessType } from '#contract/access/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import { byName, type Positioned } from '#tenancy/name-order.ts'
import { withinPage, withinResponse } from '#tenancy/page-bytes.ts'
import { MATCHES } from './filter-statements.ts'

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
  /** The document has no own access type. */
  inherits: boolean
  folderId: string | null
}

export const RECORD = /* sql */ `
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId"`

export const FOLDER = /* sql */ `
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true`

/** The documents of `$1` in `scope`, with those that are only declared. */
export const DOCUMENTS = (scope: string): string => `r.organization_key = $1 and r.kind = 'document' and ${scope}`

export const IS_WANTED = `r.added_at is not null and ${MATCHES}`

export const IN_ORGANIZATION = 'true'
export const AT_TOP = 'r.folder_key is null'
export const IN_FOLDER = (parameter: string): string => `r.folder_key = ${parameter}::uuid`

/** A document of a page. The last document that a page may scan is always included, and says whether it belongs to the page. */
export interface ListedDocumentRow extends DocumentRecordRow {
  matches: boolean
  isScanEnd: boolean
}

/**
 * Returns a statement that lists at most `$4` documents in `scope` that match the filters `$2`, after the id `$3`. It
 * scans an index in `order`, and ends after `$5` documents. If `$5` were a constant, the planner would sort a whole
 * folder.
 */
const page = (name: string, scope: string, order = 'r.id') =>
  statement<ListedDocumentRow>(
    name,
    withinPage(
      /* sql */ `
  select ${RECORD}, r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, ${IS_WANTED} as matches, row_number() over (order by ${order}) as nth
            from (select * from resources r where ${DOCUMENTS(scope)} and r.id > coalesce($3::text, '')
                   order by ${order} limit $5::int) r) r ${FOLDER}
   where r.matches or r.nth = $5
   order by ${order} limit $4::int`,
      'metadata',
    ),
  )

export const LIST_DOCUMENTS = page('documents.list', IN_ORGANIZATION)

/**
 * Lists the documents at the top level. Ordered by `folder_key` too, although it is null: the index is read in order
 * only then.
 */
export const LIST_TOP_DOCUMENTS = page('documents.list-top', AT_TOP, 'r.folder_key, r.id')

/** Lists the documents directly in folder `$6`. */
export const LIST_FOLDER_DOCUMENTS = page('documents.list-folder', IN_FOLDER('$6'))

/**
 * Returns lists of at most `$4` documents in `scope` by name, after the position `$3`; otherwise like the lists in id
 * order. The folded name is a column of the scanned rows: if it were an expression outside, the planner would sort.
 */
const pageByName = (name: string, scope: string, columns = ['place', 'r.id']) =>
  byName({ name: 'r.name', id: 'r.id', after: '$3' }, ({ orderBy, place, following, direction }) => {
    const order = columns.map((column) => `${column} ${direction}`).join(', ')
    return statement<ListedDocumentRow & Positioned>(
      `${name} by ${orderBy}`,
      withinPage(
        /* sql */ `
  select ${RECORD}, jsonb_build_array(r.place, r.id)::text as position, r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, ${IS_WANTED} as matches, row_number() over (order by ${order}) as nth
            from (select r.*, ${place} as place from resources r where ${DOCUMENTS(scope)} and ${following}
                   order by ${order} limit $5::int) r) r ${FOLDER}
   where r.matches or r.nth = $5
   order by ${order} limit $4::int`,
        'metadata',
      ),
    )
  })

export const LIST_TOP_DOCUMENTS_BY_NAME = pageByName('documents.list-top', AT_TOP, ['r.folder_key', 'place', 'r.id'])

/** Lists the documents directly in folder `$6` in the same way. */
export const LIST_FOLDER_DOCUMENTS_BY_NAME = pageByName('documents.list-folder', IN_FOLDER('$6'))

const COUNT = (scope: string): string =>
  `select count(*) as count from resources r where ${DOCUMENTS(scope)} and ${IS_WANTED}`

export const COUNT_DOCUMENTS = statement<{ count: number }>('documents.count', COUNT(IN_ORGANIZATION))

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
