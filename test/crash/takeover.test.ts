/** Another running server continues any kind of durable work of a killed server after a lease and a poll (ADR 0029). */
import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import { deleteUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Db } from '#platform/db/db.ts'
import type { Client } from '#testing/client.ts'
import { eventually, until } from '#testing/eventually.ts'
import { createLastingStore, type ServerProcess, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'

/** Each job changes an organization of its own: none waits for another. */
const [MIGRATED, REVOKED, ERASED, COMMENTED] = ['a', 'b', 'c', 'd'].map((organizationId) => ({ organizationId })) as [
  { organizationId: string },
  { organizationId: string },
  { organizationId: string },
  { organizationId: string },
]
const OWNER = 'owner@example.com'
const DOCUMENT = { documentId: 'd' }

/**
 * Makes writes of jobs in the database take ten minutes, until the returned function is called. Calls that start jobs
 * do not write to these tables.
 */
async function slowDown(db: Db): Promise<() => Promise<void>> {
  await db.script(`create table slow ();
    create function take_long() returns trigger language plpgsql as
      $$ begin if to_regclass('slow') is not null then perform pg_sleep(600); end if; return coalesce(new, old); end $$;`)
  for (const table of ['grants', 'document_aliases', 'comment_mail_items'])
    await db.script(`create trigger slow before insert or delete on ${table} for each row execute function take_long()`)
  return () => db.script('drop table slow')
}

/** Creates an API key whose owner gets a mail about it. */
async function createKey({ client }: ServerProcess, emailServiceConfig: object): Promise<Client> {
  const workspace = await client.call(createWorkspace, { ownerEmail: 'max@example.com' })
  const caller = client.with({ 'x-service-workspace-id': workspace.id, 'x-service-auth-token': workspace.authToken })
  const { apiKey, authToken = '' } = await caller.call(createApiKey, {
    ownerEmail: OWNER,
    type: 'testing',
    createAuthToken: true,
    useEmailService: true,
    emailServiceConfig,
  })
  return client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
}

async function prepare(key: Client, receiverUrl: string): Promise<void> {
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  await key.call(createWebhookEndpoint, {
    url: receiverUrl,
    filterTypes: ['organization.added'],
    channels: [COMMENTED.organizationId],
  })
  for (const where of [MIGRATED, REVOKED, ERASED, COMMENTED])
    await key.call(addDocuments, { ...where, createOrganization: true, documents: [DOCUMENT] })
  await key.call(setProfiles, { users: [{ userId: 'bob', email: 'bob@example.com' }] })
  const grant = (userId: string, { organizationId }: { organizationId: string }) => {
    const resource = { type: 'document' as const, id: DOCUMENT.documentId, organizationId }
    return key.call(addPermissions, { user: { userId }, permissions: { resources: [resource] } })
  }
  await grant('leaver', REVOKED)
  await grant('erased', ERASED)
}

/** Starts a job of each kind that works in the database; returns for each table a query that shows whether the job is complete. */
async function startJobs(key: Client, db: Db): Promise<Map<string, (client: Client) => Promise<boolean>>> {
  const { migrationId = '' } = await key.call(migrateDocument, { ...MIGRATED, ...DOCUMENT, newDocumentId: 'moved' })
  const { jobId: revocation = '' } = await key.call(revokeUserAccess, { userIds: ['leaver'] })
  const { jobId: deletion = '' } = await key.call(deleteUserData, { userIds: ['erased'] })
  const contact = { userId: 'bob', contact: { userId: 'bob' } }
  const commentData = [{ from: { userId: 'ada' }, taggedUserContacts: [contact], triggerNotification: true }]
  await key.call(addThreads, { ...COMMENTED, ...DOCUMENT, commentAnnotations: [{ annotationId: 't', commentData }] })
  const migrated = async (client: Client) =>
    (await client.call(getMigrationStatus, { ...MIGRATED, migrationId })).status === 'completed'
  const revoked = async (client: Client) =>
    (await client.call(getUserAccessRevocation, { jobId: revocation })).status === 'completed'
  const erased = async (client: Client) =>
    (await client.call(getUserDataDeletion, { jobId: deletion })).isDeleteCompleted
  const collected = async () => (await db.query('select from comment_mailings')).rows.length === 0
  return new Map([
    ['document_migrations', migrated],
    ['user_access_revocations', revoked],
    ['user_data_deletions', erased],
    ['comment_mailings', collected],
  ])
}

test('the work of a killed server continues on another', { skip: ENGINE === 'embedded' }, async (t) => {
  const messageIds: string[] = []
  const post = await startMailServer({
    onData: (stream, { envelope: { rcptTo } }) => {
      let raw = ''
      stream.on('data', (data: Buffer) => {
        raw += data.toString()
      })
      stream.on('end', () => {
        if (rcptTo[0]?.address === OWNER) messageIds.push(/^Message-ID: (.+)\r$/im.exec(raw)?.[1] ?? '')
      }) // this receiver never responds
    },
  })
  const [receiver, provider] = await Promise.all([startReceiver(() => 'hang'), startReceiver(() => 'hang')])
  const store = await createLastingStore()
  const settings = {
    ...store.settings,
    ...{ WEBHOOK_ALLOW_PRIVATE: 'true', SENDGRID_URL: new URL(provider.url).origin },
    STATEMENT_TIMEOUT_MS: '300000',
    ...{ SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example' },
  }
  const one = await startProcess(settings)
  const key = await createKey(one, {})
  await createKey(one, { type: 'sendgrid', apiKey: 'SG.key', fromEmail: 'mail@acme.example' })
  await prepare(key, receiver.url)
  const db = await store.open()
  const arrivals = new Map([
    ['smtp', () => messageIds.filter((id) => id === messageIds[0]).length],
    ['sendgrid', () => provider.received.length],
    ['webhook_deliveries', () => receiver.received.length],
  ])
  for (const [what, count] of arrivals) await until(`first request of ${what}`, () => count() === 1)
  const speedUp = await slowDown(db)
  const jobs = await startJobs(key, db)
  const claimed = ['mails', 'webhook_deliveries', ...jobs.keys()]
  for (const table of claimed) {
    const claims = `select bool_and(due_at <= clock_timestamp() + interval '2 seconds') as short from ${table} where claims > 0`
    const found = await eventually(`claim in ${table}`, async () => {
      const [row] = (await db.query(claims)).rows as { short: boolean | null }[]
      return row?.short ?? undefined
    })
    assert.equal(found, true, `${table}: a lease is no longer than two seconds`)
  }
  const other = await startProcess(settings)
  for (const table of ['mails', 'webhook_deliveries']) {
    const { rows } = await db.query(`select min(due_at) as due from ${table} where claims = 1`)
    const renewed = `select from ${table} where claims = 1 having min(due_at) > $1`
    await until(
      `renewal in ${table}`,
      async () => (await db.query(renewed, [(rows as { due: Date }[])[0]?.due])).rows.length > 0,
    )
  }

  await one.kill('SIGKILL')
  const killed = performance.now()
  await speedUp()
  const taken = new Map<string, number>()
  const continues = async (what: string, isTaken: () => boolean | Promise<boolean>) => {
    await until(`second worker on ${what}`, isTaken)
    taken.set(what, Math.round(performance.now() - killed))
  }
  await Promise.all([
    ...[...jobs].map(([what, isComplete]) => continues(what, () => isComplete(other.client.with(key.headers)))),
    ...[...arrivals].map(([what, count]) => continues(what, () => count() === 2)),
  ])
  t.annotate([...taken].map(([what, ms]) => `${what} ${ms} ms`).join(', '))
  await db.close()
  await other.kill('SIGKILL')
})
