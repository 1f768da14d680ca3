/** SQL that finds documents by an index of metadata, which the operator may create (ADR 0038). */
import { statement } from '#platform/db/statement.ts'
import { withinPage } from '#tenancy/page-bytes.ts'
import {
  AT_TOP,
  DOCUMENTS,
  type DocumentRecordRow,
  FOLDER,
  IN_FOLDER,
  IN_ORGANIZATION,
  IS_WANTED,
  RECORD,
} from './read-statements.ts'

export const HAS_INDEX = statement<{ hasIndex: boolean }>(
  'documents.has-filter-index',
  `select exists (select from pg_index where indexrelid = to_regclass('resources__filters') and indisvalid) as "hasIndex"`,
)

/** Metadata with the key of the organization, so that an index shared by all finds the documents of one. */
const owned = (metadata: string, organization: string): string =>
  `(${metadata} || ('{"": "' || ${organization}::text || '"}')::jsonb)`

export type IndexedDocumentRow = { found: number } & (DocumentRecordRow | { id: null })

/**
 * Returns a statement that lists the same page as the statements of lists, from the documents whose metadata contain
 * `$6`. If there are more than `$5` of these, it lists none. Returns a row without a document when there is none. Must
 * run only if `HAS_INDEX`, because only the index limits how much it reads.
 */
const page = (name: string, scope: string) =>
  statement<IndexedDocumentRow>(
    name,
    withinPage(
      /* sql */ `
  with found as materialized (
    select r.* from resources r
     where r.kind = 'document' and ${owned('r.metadata', 'r.organization_key')} @> ${owned('$6::jsonb', '$1::uuid')}
     limit $5::int + 1
  )
  select n.found, d.*
    from (select count(*) as found from found) n
    left join lateral (
      select ${RECORD} from found r ${FOLDER}
       where n.found <= $5 and ${DOCUMENTS(scope)} and ${IS_WANTED} and r.id > coalesce($3::text, '')
       order by r.id limit $4::int
    ) d on true
   order by d.id`,
      'metadata',
    ),
  )

export const LIST_INDEXED = page('documents.list-indexed', IN_ORGANIZATION)

export const LIST_TOP_INDEXED = page('documents.list-top-indexed', AT_TOP)

/** Lists those directly in folder `$7`. */
export const LIST_FOLDER_INDEXED = page('documents.list-folder-indexed', IN_FOLDER('$7'))
