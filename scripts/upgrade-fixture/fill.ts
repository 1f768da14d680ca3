/** Fills a store for the upgrade test with a row in every table: through the API, and through SQL for rows that only time creates. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#platform/db/db.ts'
import type { Client } from '#testing/client.ts'

export interface Filled {
  /** The headers of each caller. */
  callers: Record<'workspace' | 'apiKey' | 'reader' | 'repeating' | 'session', Record<string, string>>
  /** Ids and secrets that the server has assigned. */
  given: Record<'apiKey' | 'endpointId' | 'migrationId' | 'jobId' | 'userToken', string>
}

const organizationId = 'acme'
const SESSION = { 'x-service-session': 'console' }

/** Far off, so that neither a sweep nor a worker touches the rows on the day when they are restored. */
const FAR = '2099-01-01T00:00:00Z'

export async function fill(none: Client, db: Db): Promise<Filled> {
  const workspace = await call(none, '/v2/workspace/create', { ownerEmail: 'ada@example.com', name: 'Ada' })
  const owner = none.with({ 'x-service-workspace-id': workspace.id, 'x-service-auth-token': workspace.authToken })
  const { apiKey, authToken } = await call(owner, '/v2/workspace/apikey/create', {
    ...{ ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true, apiKeyName: 'Main' },
  })
  const key = none.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
  const created = await call(owner, '/v2/workspace/authtoken/create', { apiKey, name: 'Reader', scopes: ['read'] })
  const reader = { 'x-service-api-key': apiKey, 'x-service-auth-token': created.authToken.token }
  await settings(key)
  await structure(key)
  await comments(key)
  const { token: userToken } = await call(key, '/v2/auth/generate_token', { userId: 'cy' })
  const { migrationId } = await migrate(key)
  const { jobId } = await erase(key)
  await leave(key)
  const repeating = { ...key.headers, 'idempotency-key': 'first' }
  await call(key.with(repeating), '/v2/organizations/add', { organizations: [{ organizationId: 'repeated' }] })
  const cookie = await signIn(none, { apiKey, token: authToken })
  const { id: endpointId } = await call(key, '/v2/workspace/advancedwebhook/endpoints/create', {
    ...{ url: 'https://receiver.invalid/', description: 'Search index', filterTypes: ['never.sent'] },
  })
  await call(owner, '/v2/workspace/ssoconfig/update', {
    ...{ enabled: true, issuer: 'https://provider.invalid', clientId: 'commonhold', clientSecret: 'secret-of-sign-on' },
    domains: ['example.com'],
  })
  await whatTimeBrings(db, apiKey)
  await signInsUnderWay(db, workspace.id)
  return {
    callers: {
      workspace: { ...owner.headers },
      apiKey: { ...key.headers },
      reader,
      repeating,
      session: { ...SESSION, cookie },
    },
    given: { apiKey, endpointId, migrationId, jobId, userToken },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: results of every operation
async function call(client: Client, path: string, data: object): Promise<any> {
  const answer = await client.post(path, data)
  if (answer.http !== 200 || answer.text.includes('"retryable":')) throw new Error(`${path}: ${answer.text}`)
  return answer.body.result.data
}

/** Sets every value that is sealed with the master key. Nothing is sent anywhere. */
async function settings(key: Client): Promise<void> {
  await call(key, '/v2/workspace/domains/add', { domains: ['https://app.example.com'] })
  await call(key, '/v2/workspace/apikeyconfig/update', {
    ...{
      defaultDocumentAccessType: 'organizationPrivate',
      userTokenLifetimeSeconds: 86_400,
      expiringSoonSeconds: 3_600,
    },
  })
  await call(key, '/v2/workspace/emailconfig/update', {
    useEmailService: false,
    emailServiceConfig: { type: 'sendgrid', apiKey: 'SG.secret-of-the-mail-service', fromEmail: 'hello@example.com' },
  })
  await call(key, '/v2/workspace/webhookconfig/update', {
    useWebhookService: false,
    webhookServiceConfig: { authToken: 'secret-of-the-receiver', rawNotificationUrl: 'https://receiver.invalid/raw' },
  })
  await call(key, '/v2/workspace/advancedwebhookconfig/update', { isEnabled: true })
  await call(key, '/v2/auth/signingkeys/rotate', {})
}

/** Adds an invited person, a disabled user, a page whose origin waits for approval, and a user who lost all access. */
async function leave(key: Client): Promise<void> {
  await call(key, '/v2/users/invite/add', {
    ...{ email: 'grace@example.com', organizationId, type: 'org_user', accessRole: 'viewer' },
  })
  await call(key, '/v2/workspace/domains/request', { domain: 'https://beta.example.com', organizationId })
  await call(key, '/v2/users/access/disablestate/update', { userIds: ['gone'], disabled: true })
  const { jobId } = await call(key, '/v2/users/access/revoke', { userIds: ['former'] })
  while ((await call(key, '/v2/users/access/revoke/status', { jobId })).status !== 'completed') await sleep(50)
}

async function structure(key: Client): Promise<void> {
  await call(key, '/v2/organizations/add', {
    organizations: [{ organizationId, organizationName: 'Acme Inc.', metadata: { tier: 'gold' } }],
  })
  const folders = [
    { folderId: 'plans', folderName: 'Plans', accessType: 'restricted' },
    { folderId: 'years', parentFolderId: 'plans' },
  ]
  await call(key, '/v2/organizations/folders/add', { organizationId, folders })
  const inFolder = [
    { documentId: 'roadmap', documentName: 'Roadmap', metadata: { status: 'draft' } },
    { documentId: 'open', accessType: 'public' },
  ]
  await call(key, '/v2/organizations/documents/add', { organizationId, folderId: 'years', documents: inFolder })
  await call(key, '/v2/organizations/documents/add', { organizationId, documents: [{ documentId: 'draft' }] })
  const users = ['ada', 'bob', 'cy', 'dan'].map((userId) => ({ userId, name: userId, email: `${userId}@example.com` }))
  await call(key, '/v2/users/add', { organizationId, users })
  await call(key, '/v2/organizations/usergroups/add', {
    organizationId,
    organizationUserGroups: [{ groupId: 'design' }],
  })
  await call(key, '/v2/organizations/usergroups/users/add', {
    ...{ organizationId, organizationUserGroupId: 'design', userIds: ['ada', 'bob'] },
  })
  const grants = [
    { type: 'folder', id: 'plans', organizationId, accessRole: 'editor' },
    { type: 'document', id: 'declared', organizationId, accessRole: 'viewer', expiresAt: Date.parse(FAR) / 1000 },
  ]
  await call(key, '/v2/auth/permissions/add', { user: { userId: 'ada' }, permissions: { resources: grants } })
}

async function comments(key: Client): Promise<void> {
  const where = { organizationId, documentId: 'roadmap' }
  const ada = { userId: 'ada', name: 'Ada' }
  await call(key, '/v2/commentannotations/add', {
    ...where,
    commentAnnotations: [{ annotationId: 'pricing', commentData: [{ from: ada, commentText: 'Too much?' }] }],
  })
  await call(key, '/v2/notifications/add', {
    ...{ ...where, actionUser: ada, notifyUsers: [{ userId: 'bob' }] },
    ...{ displayHeadlineMessageTemplate: '{actionUser} wrote', displayBodyMessage: 'Too much?' },
  })
  await call(key, '/v2/notifications/config/set', { organizationId, userIds: ['bob'], config: { inbox: 'MINE' } })
  await call(key, '/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } })
  const activity = { featureType: 'custom', actionType: 'approved', actionUser: ada, targetEntityId: 'budget' }
  await call(key, '/v2/activities/add', { ...where, activities: [activity] })
  const hidden = { annotationId: 'hidden', visibility: { type: 'restricted', userIds: ['ada'] } }
  await call(key, '/v2/commentannotations/add', {
    ...where,
    commentAnnotations: [{ ...hidden, commentData: [{ from: ada, commentText: 'No.' }] }],
  })
  await call(key, '/v2/commentannotations/delete', { ...where, annotationIds: ['hidden'] })
}

async function migrate(key: Client): Promise<{ migrationId: string }> {
  const { migrationId } = await call(key, '/v2/organizations/documents/migrate', {
    ...{ organizationId, documentId: 'draft', newDocumentId: 'final' },
  })
  const status = () => call(key, '/v2/organizations/documents/migrate/status', { organizationId, migrationId })
  while ((await status()).status !== 'completed') await sleep(50)
  return { migrationId }
}

async function erase(key: Client): Promise<{ jobId: string }> {
  const { jobId } = await call(key, '/v2/users/data/delete', { userIds: ['dan'] })
  while (!(await call(key, '/v2/users/data/delete/status', { jobId })).isDeleteCompleted) await sleep(50)
  return { jobId }
}

async function signIn(none: Client, credentials: object): Promise<string> {
  const answer = await none.with(SESSION).post('/console/session/start', credentials)
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  return cookie
}

/** Adds a delivery, an attempt and mails, in every lasting state; rows that expire do so later. */
async function whatTimeBrings(db: Db, apiKey: string): Promise<void> {
  const event = `(select stream, sequence, type, api_key_id from events where api_key_id = '${apiKey}' order by tick limit 1) e`
  const comments = `thread_comments where organization_key in (select o.organization_key from organizations o where o.api_key_id = '${apiKey}')`
  await db.script(`
    update idempotency_keys set expires_at = '${FAR}';
    update console_sessions set expires_at = '${FAR}';
    insert into webhook_deliveries (endpoint_key, stream, sequence, attempts, due_at)
    select endpoint_key, stream, sequence, 1, '${FAR}' from webhook_endpoints w join ${event} using (api_key_id) where kind = 'signed';
    update webhook_endpoints set due_at = '${FAR}' where kind = 'signed';
    insert into webhook_attempts (endpoint_key, stream, sequence, event_type, attempt, attempted_at, http_status, duration_ms, excerpt, next_attempt_at)
    select endpoint_key, stream, sequence, e.type, 1, '${FAR}', 500, 12, 'out of order', '${FAR}'
      from webhook_endpoints w join ${event} using (api_key_id) where kind = 'signed';
    insert into usage_days (api_key_id, day, calls) values ('${apiKey}', '2099-01-01', 3) on conflict do nothing;
    insert into usage_hours (api_key_id, hour, calls) values ('${apiKey}', '${FAR}', 3) on conflict do nothing;
    insert into mails (api_key_id, kind, carrier, user_id, recipient, stream, sequences, state, claims, due_at, finished_at)
    select api_key_id, 'permission.added', 'smtp', 'ada', 'ada@example.com', stream, array[sequence], state, claims, '${FAR}', finished_at
      from ${event}, (values ('pending', 0, null), ('sent', 1, '${FAR}'::timestamptz)) as mail (state, claims, finished_at);
    insert into comment_mailings (organization_key, api_key_id, resource_key, annotation_id, comment_id, action_type, due_at)
    select organization_key, '${apiKey}', resource_key, annotation_id, comment_id, 'newlyAdded', '${FAR}' from ${comments};
    insert into comment_mail_items (organization_key, resource_key, annotation_id, comment_id, user_id, action_type)
    select organization_key, resource_key, annotation_id, comment_id, 'bob', 'newlyAdded' from ${comments};
    insert into comment_mail_results (organization_key, resource_key, annotation_id, comment_id, user_id, outcome, finished_at)
    select organization_key, resource_key, annotation_id, comment_id, 'ada', 'seen', '${FAR}' from ${comments}`)
}

/** Adds rows that only a person with a browser, a passkey or a provider would create. None of them expires. */
async function signInsUnderWay(db: Db, workspaceId: string): Promise<void> {
  const operator = `(select workspace_id, operator_id from operators where workspace_id = '${workspaceId}' limit 1) o`
  await db.script(`
    insert into database_epochs (epoch, system_identifier, timeline, table_oid, adopted_at) values (1, 'fixture', 1, 'database_epochs'::regclass, '${FAR}');
    insert into mail_addresses (address, confirmed_at) values ('ada@example.com', '${FAR}');
    insert into login_links (link_hash, workspace_id, operator_id, is_mailed, created_at, expires_at)
    select 'link', workspace_id, operator_id, true, '${FAR}', '${FAR}' from ${operator};
    insert into device_authorizations (device_code_hash, user_code, machine, user_agent, address, expires_at, poll_seconds)
    values ('device', 'WXYZ-WXYZ', 'laptop', 'commonhold', '127.0.0.1', '${FAR}', 5);
    insert into operator_identities (workspace_id, issuer, subject, operator_id, has_role_of_rule)
    select workspace_id, 'https://provider.invalid', 'ada', operator_id, false from ${operator};
    insert into passkeys (credential_id, workspace_id, operator_id, name, public_key, sign_count, transports)
    select 'credential', workspace_id, operator_id, 'Laptop', 'public key', 1, array['internal'] from ${operator};
    insert into findings_mails (workspace_id, operator_id, due_at)
    select workspace_id, operator_id, '${FAR}' from ${operator};
    insert into invitation_mails (workspace_id, operator_id, due_at)
    select workspace_id, operator_id, '${FAR}' from ${operator};
    insert into buckets (name, url_sealed) values ('eu1', 'sealed');
    insert into key_places (api_key_id, workspace_id, bucket, type) values ('chk_test_elsewhere', '${workspaceId}', 'eu1', 'testing');
    insert into key_moves (api_key_id, workspace_id, to_bucket) values ('chk_test_elsewhere', '${workspaceId}', 'eu1');
    insert into bucket_moves (bucket, from_url_sealed, to_url_sealed) values ('eu1', 'sealed', 'sealed');
    insert into passkey_challenges (challenge_hash, purpose, expires_at) values ('challenge', 'sign-in', '${FAR}');
    insert into sso_sign_ins (state_hash, browser_hash, workspace_id, issuer, client_id, expires_at)
    values ('state', 'browser', '${workspaceId}', 'https://provider.invalid', 'commonhold', '${FAR}')`)
}
