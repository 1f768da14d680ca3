/** Deletes the documents of very large organizations in steps, before the organizations are deleted. Runs under their lock. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import {
  DELETE_BATCH,
  type DeletedDocuments,
  deleteInSteps,
  NOTHING_DELETED,
  STEP_DOCUMENTS,
} from '#tenancy/writes/steps.ts'

interface Keyed {
  organizationKey: OrganizationKey
}

/** Returns the number of documents of each organization that has more than `STEP_DOCUMENTS`. */
export const COUNT_LARGE = setStatement<Keyed, Keyed & { documents: number }>(
  'organizations.count-large',
  { organizationKey: 'uuid' },
  /* sql */ `
  select item.organization_key as "organizationKey", documents
    from $input
   cross join lateral (
      select count(*)::int as documents from resources r
       where r.organization_key = item.organization_key and r.kind = 'document'
         and exists (select from resources one where one.organization_key = item.organization_key and one.kind = 'document'
                     offset ${STEP_DOCUMENTS})
   ) counted
   where documents > 0`,
)

/** Deletes the first `$2` documents of organization `$1` after the id `$3`; also returns the last of their ids. */
export const DELETE_SOME = statement<DeletedDocuments & { last: string | null }>(
  'organizations.delete-some',
  /* sql */ `
  with batch as materialized (
    select resource_key, ctid as row, id from resources
     where organization_key = $1 and kind = 'document' and id > $3 order by id limit $2
  ),
  ${DELETE_BATCH}, (select max(id) from batch) as last`,
)

/** Deletes the documents of large organizations, in steps. Returns all rows, each with the number of deleted documents and grants. */
export async function emptyLarge<Row extends Keyed>(
  session: Session,
  rows: readonly Row[],
): Promise<(Row & DeletedDocuments)[]> {
  const large = new Map(
    (await session.runSet(COUNT_LARGE, rows)).map(({ organizationKey, documents }) => [organizationKey, documents]),
  )
  const emptied: (Row & DeletedDocuments)[] = []
  for (const row of rows) {
    let after = ''
    const deleted = await deleteInSteps(session, large.get(row.organizationKey) ?? 0, async () => {
      const [step] = await session.run(DELETE_SOME, [row.organizationKey, STEP_DOCUMENTS, after])
      after = step?.last ?? after
      return step ?? NOTHING_DELETED
    })
    emptied.push({ ...row, ...deleted })
  }
  return emptied
}
