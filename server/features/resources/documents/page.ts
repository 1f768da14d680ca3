/** Reads a page of documents: from an index in order, or from the index of metadata where that is faster (ADR 0038). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Db } from '#platform/db/db.ts'
import type { NameOrder, Positioned } from '#tenancy/name-order.ts'
import type { Conditions } from './filters.ts'
import { HAS_INDEX, LIST_FOLDER_INDEXED, LIST_INDEXED, LIST_TOP_INDEXED } from './indexed-statements.ts'
import {
  LIST_DOCUMENTS,
  LIST_FOLDER_DOCUMENTS,
  LIST_FOLDER_DOCUMENTS_BY_NAME,
  LIST_TOP_DOCUMENTS,
  LIST_TOP_DOCUMENTS_BY_NAME,
  type ListedDocumentRow,
} from './read-statements.ts'

/** With more, reading them in no order costs more than scanning documents in order. */
const INDEXED_DOCUMENTS_MAX = 2_000

export interface PageOfDocuments {
  key: OrganizationKey
  /** `all`: of the organization; `top`: in no folder; otherwise the key of a folder. */
  place: 'all' | 'top' | { folderKey: string }
  conditions: Conditions | undefined
  /** The id after which the page begins, or the position in a list by name. */
  after: string | null
  pageSize: number
}

/** Returns the rows of a page, one more if there are more. The last one may be the end of a scan. */
export async function readPage(db: Db, page: PageOfDocuments): Promise<ListedDocumentRow[]> {
  const { conditions, pageSize } = page
  if (typeof conditions?.contained !== 'string' || !(await db.run(HAS_INDEX))[0]?.hasIndex)
    return scan(db, page, LIMITS.documentsExaminedPerPageMax)
  // Where every second document matches, these fill the page.
  const rows = await scan(db, page, 3 * (pageSize + 1))
  if (rows.length > pageSize || rows.at(-1)?.isScanEnd !== true) return rows
  return (await lookUp(db, page, conditions.contained)) ?? scan(db, page, LIMITS.documentsExaminedPerPageMax)
}

/** Returns the rows of a page by name in the same way. The index of metadata has no such order. */
export function readPageByName(
  db: Db,
  page: PageOfDocuments & { place: 'top' | { folderKey: string } },
  orderBy: NameOrder,
): Promise<(ListedDocumentRow & Positioned)[]> {
  const { place } = page
  const values = [...commonValues(page), LIMITS.documentsExaminedPerPageMax]
  return place === 'top'
    ? db.run(LIST_TOP_DOCUMENTS_BY_NAME[orderBy], values)
    : db.run(LIST_FOLDER_DOCUMENTS_BY_NAME[orderBy], [...values, place.folderKey])
}

function scan(db: Db, page: PageOfDocuments, documentsMax: number): Promise<ListedDocumentRow[]> {
  const values = [...commonValues(page), documentsMax]
  const { place } = page
  if (typeof place === 'object') return db.run(LIST_FOLDER_DOCUMENTS, [...values, place.folderKey])
  return db.run(place === 'top' ? LIST_TOP_DOCUMENTS : LIST_DOCUMENTS, values)
}

/** Returns undefined if the index finds too many documents. */
async function lookUp(db: Db, page: PageOfDocuments, contained: string): Promise<ListedDocumentRow[] | undefined> {
  const values = [...commonValues(page), INDEXED_DOCUMENTS_MAX, contained]
  const { place } = page
  const rows = await (typeof place === 'object'
    ? db.run(LIST_FOLDER_INDEXED, [...values, place.folderKey])
    : db.run(place === 'top' ? LIST_TOP_INDEXED : LIST_INDEXED, values))
  if ((rows[0]?.found ?? 0) > INDEXED_DOCUMENTS_MAX) return undefined
  return rows.flatMap((row) => (row.id === null ? [] : [{ ...row, matches: true, isScanEnd: false }]))
}

const commonValues = ({ key, conditions, after, pageSize }: PageOfDocuments): unknown[] => [
  key,
  conditions?.all ?? null,
  after,
  pageSize + 1,
]
