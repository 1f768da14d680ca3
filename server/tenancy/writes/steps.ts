/**
 * Deletes very many documents in steps of one transaction. A single statement would report nothing for minutes; after each step,
 * the progress is visible in `pg_stat_activity`.
 */
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { currentLifetime } from '#platform/lifetime.ts'

/** A step takes about a second. Up to this many documents are deleted in one statement. */
export const STEP_DOCUMENTS = 10_000

/** Sets the name of the transaction to `$1` until its end. PostgreSQL truncates it to 63 bytes. */
export const NAME = statement('transactions.name', `select set_config('application_name', $1, true)`)

/** Reports the progress of a transaction: appends it to the name of the call in `pg_stat_activity`. */
export async function reportProgress(session: Session, progress: string): Promise<void> {
  await session.run(NAME, [`commonhold ${currentLifetime()?.name ?? ''}: ${progress}`])
}

/** How much was deleted: documents, and grants on them. */
export interface DeletedDocuments {
  documents: number
  permissions: number
}

export const NOTHING_DELETED: DeletedDocuments = { documents: 0, permissions: 0 }

/** Runs `step` until it has deleted `total` documents, and reports the progress after each. Returns how much was deleted. */
export async function deleteInSteps(
  session: Session,
  total: number,
  step: () => Promise<DeletedDocuments>,
): Promise<DeletedDocuments> {
  const all = { ...NOTHING_DELETED }
  while (all.documents < total) {
    const { documents, permissions } = await step()
    if (documents === 0) throw new Error(`only ${all.documents} of ${total} documents were found`)
    all.documents += documents
    all.permissions += permissions
    await reportProgress(session, `${Math.floor((all.documents / total) * 100)}%`)
  }
  return all
}

/**
 * Completes a statement after the CTE `batch (resource_key, row)`: deletes its documents of organization `$1` and their
 * grants, and returns `DeletedDocuments`.
 */
export const DELETE_BATCH = /* sql */ `
  deleted_grants as (
    delete from grants g using batch where g.organization_key = $1 and g.resource_key = batch.resource_key returning g.principal
  ),
  deleted as (delete from resources r using batch where r.ctid = batch.row) -- the ctid cannot change under the lock
  select (select count(*) from batch)::int as documents, (select count(*) from deleted_grants)::int as permissions`
