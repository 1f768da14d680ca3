/**
 * Deletes the documents of a very large folder in steps, before the folder is deleted. Runs under the lock of the
 * organization.
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import {
  DELETE_BATCH,
  type DeletedDocuments,
  deleteInSteps,
  NOTHING_DELETED,
  STEP_DOCUMENTS,
} from '#tenancy/writes/steps.ts'
import { IN_SUBTREE } from './change-statements.ts'

/** The CTE `folder`: folder `$2` of organization `$1` and the folders below it. */
const FOLDERS = /* sql */ `top as materialized (
    select organization_key, path from resources
     where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null
  ),
  folder as materialized (select r.organization_key, r.resource_key from resources r, top where ${IN_SUBTREE})`

const DOCUMENTS = /* sql */ `cross join lateral (
      select d.id from resources d
       where d.organization_key = folder.organization_key and d.folder_key = folder.resource_key and d.kind = 'document' offset 0
    ) d`

/** Returns whether folder `$2` of organization `$1` contains more than `STEP_DOCUMENTS` documents. */
export const IS_LARGE = statement<{ isLarge: boolean }>(
  'folders.is-large',
  /* sql */ `
  with ${FOLDERS}
  select count(*) > ${STEP_DOCUMENTS} as "isLarge" from (select from folder ${DOCUMENTS} limit ${STEP_DOCUMENTS} + 1) counted`,
)

interface FolderSize {
  folderKey: string
  documents: number
}

/** Returns the folders with documents in folder `$2` of organization `$1`, and how many documents each has. */
export const COUNT_BY_FOLDER = statement<FolderSize>(
  'folders.count-by-folder',
  /* sql */ `
  with ${FOLDERS}
  select folder.resource_key as "folderKey", count(*)::int as documents from folder ${DOCUMENTS} group by folder.resource_key`,
)

/**
 * Deletes the first `$3` documents after the id `$4` of the folders `$2` of organization `$1`; also returns the last
 * of their ids.
 */
export const DELETE_SOME = statement<DeletedDocuments & { last: string | null }>(
  'folders.delete-some',
  /* sql */ `
  with batch as materialized (
    select resource_key, ctid as row, id from resources
     where organization_key = $1 and folder_key = any($2::uuid[]) and kind = 'document' and id > $4 order by id limit $3
  ),
  ${DELETE_BATCH}, (select max(id) from batch) as last`,
)

/**
 * Deletes the documents of a folder with more than `STEP_DOCUMENTS` of them, in steps. Returns the counts: zero for a
 * smaller folder.
 */
export async function emptyIfLarge(
  session: Session,
  key: OrganizationKey,
  folderId: string,
): Promise<DeletedDocuments> {
  const [size] = await session.run(IS_LARGE, [key, folderId])
  if (size?.isLarge !== true) return NOTHING_DELETED
  const sizes = await session.run(COUNT_BY_FOLDER, [key, folderId])
  const total = sizes.reduce((sum, { documents }) => sum + documents, 0)
  const groups = groupsOf(sizes)
  let group = groups.shift()
  let after = ''
  return deleteInSteps(session, total, async () => {
    if (group === undefined) return NOTHING_DELETED
    const [step] = await session.run(DELETE_SOME, [key, group.folderKeys, STEP_DOCUMENTS, after])
    after = step?.last ?? ''
    group.documents -= step?.documents ?? 0
    if (group.documents <= 0) {
      group = groups.shift()
      after = ''
    }
    return step ?? NOTHING_DELETED
  })
}

interface FolderGroup {
  folderKeys: string[]
  documents: number
}

/** Groups folders so that each group has at most `STEP_DOCUMENTS` documents. A larger folder forms its own group. */
function groupsOf(sizes: readonly FolderSize[]): FolderGroup[] {
  const groups: FolderGroup[] = []
  for (const { folderKey, documents } of sizes) {
    const last = groups.at(-1)
    if (last === undefined || last.documents + documents > STEP_DOCUMENTS)
      groups.push({ folderKeys: [folderKey], documents })
    else {
      last.folderKeys.push(folderKey)
      last.documents += documents
    }
  }
  return groups
}
