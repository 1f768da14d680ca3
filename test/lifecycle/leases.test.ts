/** Every queue of durable work renews and releases the lease of a job with the values that its worker has (ADR 0029). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { SENDGRID_JOBS, SMTP_JOBS } from '#features/mail/statements.ts'
import { MIGRATION_JOBS } from '#features/migrations/statements.ts'
import { REVOCATION_JOBS } from '#features/user-access/revocation-statements.ts'
import { DELETION_JOBS } from '#features/user-data/deletion-statements.ts'
import type { LeasedRows } from '#platform/jobs/leased-rows.ts'
import { sharedServer } from '#testing/server.ts'

const { db } = await sharedServer()
const NO_JOB = {
  mailId: '00000000-0000-0000-0000-000000000000',
  organizationKey: '00000000-0000-0000-0000-000000000000',
  migrationId: '00000000-0000-0000-0000-000000000000',
  apiKeyId: 'none',
  jobId: '00000000-0000-0000-0000-000000000000',
  claims: 1,
}

describe('the lease of a job', () => {
  for (const rows of [SMTP_JOBS, SENDGRID_JOBS, MIGRATION_JOBS, REVOCATION_JOBS, DELETION_JOBS] as LeasedRows<object>[])
    it(`is renewed and released in ${rows.name}`, async () => {
      assert.deepEqual(await db.run(rows.renew, rows.renewValues(NO_JOB)), [])
      assert.deepEqual(await db.run(rows.release, rows.releaseValues(NO_JOB, 1)), [])
    })
})
