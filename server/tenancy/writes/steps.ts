/**
 * Deletes very many documents in steps of one transaction. A single statement would do, but would say nothing for minutes;
 * after each step, an operator of the database sees how far the change is.
 */
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { currentLifetime } from '#platform/lifetime.ts'

/** A step takes about a second. What has fewer documents is deleted in one statement. */
export const STEP_DOCUMENTS = 10_000

/** Names the transaction `$1`, until its end. PostgreSQL cuts names after 63 bytes. */
export const NAME = statement('transactions.name', `select set_config('application_name', $1, true)`)

/** Says how far a transaction is, where an operator of the database sees it: behind the name of its call in `pg_stat_activity`. */
export async function reportProgress(session: Session, progress: string): Promise<void> {
  await session.run(NAME, [`commonhold ${currentLifetime()?.name ?? ''}: ${progress}`])
}

/** How much was deleted: documents, and grants on them. */
export interface DeletedDocuments {
  documents: number
  permissions: number
}

/** Runs `step` until it has deleted all of them, and reports the progress after each. Returns how much was deleted. */
export async function deleteInSteps(
  session: Session,
  total: number,
  step: () => Promise<DeletedDocuments>,
): Promise<DeletedDocuments> {
  const all = { documents: 0, permissions: 0 }
  while (all.documents < total) {
    const { documents, permissions } = await step()
    if (documents === 0) throw new Error(`only ${all.documents} of ${total} documents were found`)
    all.documents += documents
    all.permissions += permissions
    await reportProgress(session, `${Math.floor((all.documents / total) * 100)}% of ${total} documents`)
  }
  return all
}

/** The end of a statement that deletes the documents of a CTE `batch (resource_key, row)` of organization `$1` with their grants, and returns DeletedDocuments. */
export const DELETE_BATCH = /* sql */ `
  deleted_grants as (
    delete from grants g using batch where g.organization_key = $1 and g.resource_key = batch.resource_key returning g.user_id
  ),
  deleted as (delete from resources r using batch where r.ctid = batch.row) -- the ctid cannot change under the lock
  select (select count(*) from batch)::int as documents, (select count(*) from deleted_grants)::int as permissions`
