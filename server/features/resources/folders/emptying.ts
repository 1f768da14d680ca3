/** Deletes the documents of a very large folder in steps, before the folder is deleted. Runs under the lock of the organization. */
import type { OrganizationKey } from '#contract/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { DELETE_BATCH, type DeletedDocuments, deleteInSteps, STEP_DOCUMENTS } from '#tenancy/writes/steps.ts'
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

/** Says whether folder `$2` of organization `$1` has more than one step of documents inside. */
export const IS_LARGE = statement<{ isLarge: boolean }>(
  'folders.is-large',
  /* sql */ `
  with ${FOLDERS}
  select count(*) > ${STEP_DOCUMENTS} as "isLarge" from (select from folder ${DOCUMENTS} limit ${STEP_DOCUMENTS} + 1) counted`,
)

interface Place {
  folderKey: string
  documents: number
}

/** Returns the folders with documents in folder `$2` of organization `$1`, and how many documents each has. */
export const COUNT_BY_FOLDER = statement<Place>(
  'folders.count-by-folder',
  /* sql */ `
  with ${FOLDERS}
  select folder.resource_key as "folderKey", count(*)::int as documents from folder ${DOCUMENTS} group by folder.resource_key`,
)

/** Deletes the first `$3` documents of the folders `$2` of organization `$1`. */
export const DELETE_SOME = statement<DeletedDocuments & { last: string | null }>(
  'folders.delete-some',
  /* sql */ `
  with batch as materialized (
    select resource_key, ctid as row, id from resources
     where organization_key = $1 and folder_key = any($2::uuid[]) and kind = 'document' and id > $4 order by id limit $3
  ),
  ${DELETE_BATCH}, (select max(id) from batch) as last`,
)

const NOTHING: DeletedDocuments = { documents: 0, permissions: 0 }

/** Returns how much was deleted: nothing unless the folder is large. */
export async function emptyIfLarge(
  session: Session,
  key: OrganizationKey,
  folderId: string,
): Promise<DeletedDocuments> {
  const [size] = await session.run(IS_LARGE, [key, folderId])
  if (size?.isLarge !== true) return NOTHING
  const places = await session.run(COUNT_BY_FOLDER, [key, folderId])
  const total = places.reduce((sum, { documents }) => sum + documents, 0)
  const groups = groupsOf(places)
  let group = groups.shift()
  let after = ''
  return deleteInSteps(session, total, async () => {
    if (group === undefined) return NOTHING
    const [step] = await session.run(DELETE_SOME, [key, group.folderKeys, STEP_DOCUMENTS, after])
    after = step?.last ?? ''
    group.documents -= step?.documents ?? 0
    if (group.documents <= 0) {
      group = groups.shift()
      after = ''
    }
    return step ?? NOTHING
  })
}

interface Group {
  folderKeys: string[]
  documents: number
}

/** Returns groups of folders that have at most one step of documents together; a larger folder is a group of its own. */
function groupsOf(places: readonly Place[]): Group[] {
  const groups: Group[] = []
  for (const { folderKey, documents } of places) {
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
