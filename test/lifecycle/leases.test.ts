/** Every queue of durable work renews and releases the lease of a job with the values that its worker has (ADR 0029). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { WEEKLY_JOBS } from '#features/findings/weekly/statements.ts'
import { MAILING_JOBS } from '#features/mail/comments/collect-statements.ts'
import {
  FAIL_MAIL,
  FINISH_MAILS,
  GET_MAILS,
  KEEP_MAIL,
  SENDGRID_JOBS,
  SET_MAIL_ERROR,
  SMTP_JOBS,
} from '#features/mail/statements.ts'
import { MIGRATION_JOBS } from '#features/migrations/statements.ts'
import { REVOCATION_JOBS } from '#features/user-access/revocation-statements.ts'
import { DELETION_JOBS } from '#features/user-data/deletion-statements.ts'
import { RENEW_DELIVERIES } from '#features/webhooks/delivery/claim-statements.ts'
import { RECORD_OUTCOMES } from '#features/webhooks/delivery/outcome-statements.ts'
import type { LeasedRows } from '#platform/jobs/leased-rows.ts'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
const { db } = server
const NO_JOB = {
  mailId: '00000000-0000-0000-0000-000000000000',
  organizationKey: '00000000-0000-0000-0000-000000000000',
  migrationId: '00000000-0000-0000-0000-000000000000',
  apiKeyId: 'none',
  jobId: '00000000-0000-0000-0000-000000000000',
  mailingId: '00000000-0000-0000-0000-000000000000',
  workspaceId: 'none',
  operatorId: '00000000-0000-0000-0000-000000000000',
  claims: 1,
}

const QUEUES = [
  ...[SMTP_JOBS, SENDGRID_JOBS, MAILING_JOBS, WEEKLY_JOBS, MIGRATION_JOBS, REVOCATION_JOBS, DELETION_JOBS],
] as LeasedRows<object>[]

/** Adds a mail that a worker has claimed. The servers under test do not claim it. */
async function claimedMail(): Promise<{ mailId: string; claims: number }> {
  const { headers } = await server.newKey()
  const { rows } = await db.query(
    `insert into mails (api_key_id, kind, carrier, recipient, stream, sequences, created_at, due_at, claims, claimed_at)
     values ($1, 'api_key.added', 'smtp', 'ada@example.com', gen_random_uuid(), '{1}', now(), now() + interval '1 hour', 1, now())
     returning mail_id as "mailId", claims`,
    [headers['x-service-api-key']],
  )
  return (rows as { mailId: string; claims: number }[])[0] as { mailId: string; claims: number }
}

const stateOf = async ({ mailId }: { mailId: string }) =>
  (await db.query('select state, error from mails where mail_id = $1', [mailId])).rows

describe('the lease of a job', () => {
  for (const rows of QUEUES)
    it(`is renewed and released in ${rows.name}`, async () => {
      assert.deepEqual(await db.run(rows.renew, rows.renewValues(NO_JOB)), [])
      assert.deepEqual(await db.run(rows.release, rows.releaseValues(NO_JOB, 1)), [])
    })

  it('may be renewed while the result of its mail is recorded', async () => {
    const mail = await claimedMail()
    const { recorded } = await db.transaction(async (session) => {
      await session.run(SMTP_JOBS.renew, SMTP_JOBS.renewValues(mail)) // moves the row
      const recorded = db.runSet(FINISH_MAILS, [mail])
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%with mail as%'`
      await until('statement that waits for the lease', async () => (await db.query(waiting)).rows.length > 0)
      return { recorded }
    })
    await recorded
    assert.deepEqual(await stateOf(mail), [{ state: 'sent', error: null }])
  })

  it('is lost by a worker that slept: it neither sends the mail nor records a failure', async () => {
    const mail = await claimedMail()
    const [{ settingsHash = '', recipient = '' } = {}] = await db.runSet(GET_MAILS, [
      { mailId: mail.mailId, mailsPerRecipient: 1 },
    ])
    assert.deepEqual(await db.run(KEEP_MAIL, [mail.mailId, mail.claims, 'of other settings', recipient]), [])
    assert.deepEqual(await db.run(KEEP_MAIL, [mail.mailId, mail.claims, settingsHash, recipient]), [
      { mailId: mail.mailId },
    ])
    await db.query('update mails set claims = claims + 1, handed_over_at = now() where mail_id = $1', [mail.mailId])
    assert.deepEqual(await db.run(KEEP_MAIL, [mail.mailId, mail.claims, settingsHash, recipient]), [])
    assert.deepEqual(await db.run(FAIL_MAIL, [mail.mailId, mail.claims, 'refused']), [])
    await db.run(SET_MAIL_ERROR, [mail.mailId, mail.claims, 'unreachable'])
    const { rows } = await db.query(
      `select state, error, handed_over_at is not null as "isHandedOver" from mails where mail_id = $1`,
      [mail.mailId],
    )
    assert.deepEqual(rows, [{ state: 'pending', error: null, isHandedOver: true }])
  })

  it('of a webhook delivery is not renewed after its result is recorded: the next attempt waits', async () => {
    const { headers } = await server.newKey()
    const { rows } = await db.query(
      `with endpoint as (
         insert into webhook_endpoints (api_key_id, endpoint_id, kind, url, active)
         values ($1, 'ep_lease', 'signed', 'https://example.com', false) returning endpoint_key
       )
       insert into webhook_deliveries (endpoint_key, stream, sequence, due_at, claims)
       select endpoint_key, gen_random_uuid(), 1, now(), 1 from endpoint
       returning endpoint_key as "endpointKey", stream, sequence, is_act as "isAct", claims`,
      [headers['x-service-api-key']],
    )
    const [delivery] = rows as {
      endpointKey: number
      stream: string
      sequence: number
      isAct: boolean
      claims: number
    }[]
    assert.ok(delivery)
    const failed = { outcome: 'failed' as const, eventType: 'user.added', attempt: 1, attemptedAt: new Date() }
    const response = { httpStatus: 500, error: null, durationMs: 1, excerpt: '', waitMs: 3_600_000, pauseMs: 0 }
    await db.runSet(RECORD_OUTCOMES, [{ ...delivery, ...failed, ...response }])
    await db.runSet(RENEW_DELIVERIES, [delivery])
    const waits = `select from webhook_deliveries where stream = $1 and due_at > now() + interval '50 minutes'`
    assert.equal((await db.query(waits, [delivery.stream])).rows.length, 1)
  })
})
