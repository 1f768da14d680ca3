/** Deletes an API key and its whole data set in one transaction. Its events are kept. */

import type { DataOf } from '#contract/core/operation.ts'
import type { deleteApiKey } from '#contract/keys/api-keys.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import { currentLifetime } from '#platform/lifetime.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import { reportProgress } from '#tenancy/writes/steps.ts'
import { LONG_CHANGE_MS } from '#tenancy/writes/turns.ts'
import {
  CLOSE_API_KEY,
  DELETE_API_KEY,
  DELETE_IN_ORGANIZATIONS,
  DELETE_OF_KEY,
  DELETE_ORGANIZATIONS,
  type Deleted,
  LOCK_ORGANIZATIONS_OF_KEY,
} from './deletion-statements.ts'

/** The batch size of one statement. Even with foreign key checks for each row it takes a second or two, far below the statement timeout. */
const ROWS_PER_STATEMENT = 20_000

/**
 * Deletes the key. Its lock prevents new rows in the data set; the locks of its organizations wait for the transactions
 * in progress there. Both are taken in the lock order of all writes: key, users, organizations.
 */
export async function deleteKey(
  db: Db,
  caller: WorkspaceCaller,
  { apiKey, apiKeyName }: DataOf<typeof deleteApiKey>,
): Promise<void> {
  currentLifetime()?.extend(LONG_CHANGE_MS)
  await changeApiKey(db, caller, apiKey, async (session) => {
    const [key] = await session.run(CLOSE_API_KEY, [apiKey])
    if (key?.name !== apiKeyName)
      throw invalidArgument(
        [{ field: 'apiKeyName', message: 'apiKeyName must be the exact name of the API key' }],
        'api_key_name_wrong',
      )
    const { users = 0 } = await deleteEach(session, DELETE_OF_KEY, apiKey)
    await session.run(LOCK_ORGANIZATIONS_OF_KEY, [apiKey])
    const inside = await deleteEach(session, DELETE_IN_ORGANIZATIONS, apiKey)
    const { user_groups: userGroups = 0, grants: permissions = 0, documents = 0, folders = 0 } = inside
    const organizations = await deleteAll(session, DELETE_ORGANIZATIONS, apiKey, 'organizations')
    await session.run(DELETE_API_KEY, [apiKey])
    await recordStreamEvents(session, [
      {
        type: 'api_key.deleted',
        workspaceId: caller.workspaceId,
        apiKeyId: apiKey,
        actor: caller.actor,
        before: { ...key, organizations, folders, documents, users, userGroups, permissions },
      },
    ])
  })
}

/** Runs the statements sequentially; returns how many rows each has deleted. */
async function deleteEach(
  session: Session,
  statements: Readonly<Record<string, Statement<Deleted>>>,
  apiKey: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [rows, statement] of Object.entries(statements))
    counts[rows] = await deleteAll(session, statement, apiKey, rows)
  return counts
}

/**
 * Runs `statement` in batches until no rows are left, and reports the progress as a number of `label`. Returns the
 * number of deleted rows.
 */
async function deleteAll(
  session: Session,
  statement: Statement<Deleted>,
  apiKey: string,
  label: string,
): Promise<number> {
  for (let total = 0; ; ) {
    const [batch] = await session.run(statement, [apiKey, ROWS_PER_STATEMENT])
    total += batch?.deleted ?? 0
    if ((batch?.deleted ?? 0) < ROWS_PER_STATEMENT) return total
    await reportProgress(session, `${total} ${label.replaceAll('_', ' ')}`)
  }
}
