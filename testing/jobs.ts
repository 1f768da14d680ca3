/** Starts the jobs of an API key, and waits until they are completed. Each function returns the id of the job. */
import assert from 'node:assert/strict'
import type { DataOf } from '#contract/core/operation.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import { deleteUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import type { Db } from '#platform/db/db.ts'
import { apiKeyOf } from '../test/conformance/support/callers.ts'
import type { Client } from './client.ts'
import { until } from './eventually.ts'

export async function completeMigration(key: Client, data: DataOf<typeof migrateDocument>): Promise<string> {
  const { organizationId } = data
  const { migrationId = '' } = await key.call(migrateDocument, data)
  await until('end of the migration', async () => {
    const { status, error } = await key.call(getMigrationStatus, { organizationId, migrationId })
    assert.notEqual(status, 'failed', JSON.stringify(error))
    return status === 'completed'
  })
  return migrationId
}

export async function completeErasure(key: Client, data: DataOf<typeof deleteUserData>): Promise<string> {
  const { jobId } = await key.call(deleteUserData, data)
  await until('end of the erasure', async () => (await key.call(getUserDataDeletion, { jobId })).isDeleteCompleted)
  return jobId
}

/** Calls for an erasure whose job waits for the organizations of the key. The returned function lets it continue. */
export async function beginErasure(
  db: Db,
  key: Client,
  data: DataOf<typeof deleteUserData>,
): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = db.transaction(async (session) => {
    await session.query('select from organizations where api_key_id = $1 for update', [apiKeyOf(key)])
    held.resolve()
    await released.promise
  })
  await held.promise
  await key.call(deleteUserData, data)
  return () => {
    released.resolve()
    return holding
  }
}

export async function completeRevocation(key: Client, data: DataOf<typeof revokeUserAccess>): Promise<string> {
  const { jobId = '' } = await key.call(revokeUserAccess, data)
  const isCompleted = async () => (await key.call(getUserAccessRevocation, { jobId })).status === 'completed'
  await until('end of the revocation', isCompleted)
  return jobId
}
