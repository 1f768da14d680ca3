/**
 * Removes the rows that an API key has left in a database when another database serves the key. No events are written,
 * because nothing was deleted for the tenant.
 */
import pg from 'pg'
import { workspaceStream } from '#tenancy/callers/keys.ts'
import type { KeyTable } from './data-set.ts'

/** Even with the checks of foreign keys, a step takes a second or two. */
const ROWS_PER_STEP = 10_000

/** Deletes its credentials: from this commit on, no process accepts a call with the key here. */
export async function removeCredentials(source: pg.ClientBase, apiKeyId: string): Promise<void> {
  await passing(source, apiKeyId, async () => {
    const where = `where api_key_id = ${pg.escapeLiteral(apiKeyId)}`
    await source.query(
      `begin; set local synchronous_commit = on; delete from auth_tokens ${where}; delete from signing_keys ${where}; commit`,
    )
  })
}

/**
 * Deletes all rows of the key, in steps. Events of the workspace about the key stay: they are in the list of the
 * workspace, which numbers them in each database.
 */
export async function removeRows(
  source: pg.ClientBase,
  tables: readonly KeyTable[],
  { apiKeyId, workspaceId, bucket }: { apiKeyId: string; workspaceId: string; bucket: string | undefined },
): Promise<void> {
  const kept = pg.escapeLiteral(workspaceStream(workspaceId, bucket))
  await passing(source, apiKeyId, async () => {
    for (const { name, where } of tables) {
      const rows = `select ctid from ${name} where ${where} ${name === 'events' ? `and stream <> ${kept}` : ''} limit ${ROWS_PER_STEP}`
      for (let deleted = ROWS_PER_STEP; deleted === ROWS_PER_STEP; )
        deleted = (await source.query(`delete from ${name} where ctid = any (array(${rows}))`)).rowCount ?? 0
    }
  })
}

/** Runs `work` past the fence of the key. */
async function passing(source: pg.ClientBase, apiKeyId: string, work: () => Promise<void>): Promise<void> {
  await source.query(`select set_config('commonhold.moving', $1, false), set_config('statement_timeout', '0', false)`, [
    apiKeyId,
  ])
  try {
    await work()
  } finally {
    await source.query('reset commonhold.moving').catch(() => {})
  }
}
