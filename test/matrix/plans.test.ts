/**
 * Query plans: the database finds rows by key, whatever the planner's statistics. A plan that was made while a table was small
 * stays in use as it grows. So the plans are checked where a bad choice looks cheap: on a store that was never analyzed, and
 * on one that was analyzed while almost empty.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Db } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { setStatement } from '#platform/db/statement.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { createDatabase, createStore, ENGINE, type OwnServer, startServer } from '#testing/server.ts'
import { exportedStatements } from '../../scripts/golden.ts'

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Join Filter'?: string
  Plans?: PlanNode[]
}

/** The columns that an index condition must contain to select few rows. */
const KEYS: Record<string, RegExp> = {
  workspaces: /\b(workspace_id|owner_id) = /,
  workspace_tokens: /\b(token_hash|workspace_id) = /,
  login_links: /\b(link_hash|workspace_id) = /,
  passkeys: /\b(credential_id|workspace_id) = /,
  passkey_challenges: /\b(challenge_hash|workspace_id) = /,
  device_authorizations: /\b(device_code_hash|user_code|workspace_id) = /,
  operators: /\bworkspace_id = |\bloweremail::text = /,
  operator_identities: /\bworkspace_id = /,
  sso_configs: /\bworkspace_id = /,
  sso_domains: /\b(workspace_id|domain) = /,
  sso_sign_ins: /\bstate_hash = /,
  api_keys: /\b(api_key_id|workspace_id) = /,
  auth_tokens: /\b(token_hash|api_key_id) = /,
  signing_keys: /\bapi_key_id = /,
  domain_requests: /\bapi_key_id = /,
  usage_hours: /\bapi_key_id = /,
  usage_days: /\bapi_key_id = .*\bday (=|<|>=) /,
  search_entries: /\bapi_key_id = .*\bkind = /,
  users: /\bapi_key_id = .*\buser_id (=|>|>=) /,
  disabled_users: /\bapi_key_id = .*\buser_id (=|>) /,
  organizations: /\borganization_key = |\bapi_key_id = /,
  resources: /\borganization_key = .*\b(resource_key = |id (=|>|>=) |path >= |folder_key (=|IS NULL))/,
  grants: /\borganization_key = .*\b(resource_key|principal) (= |< )/,
  document_aliases: /\borganization_key = .*\b(document_id|resource_key) = /,
  invitations: /\borganization_key = .*\b(invitation_id|resource_key|address|invitee|inviter|created_at) (=|<|>) /,
  activities:
    /\borganization_key = .*\b(activity_id|resource_key|actor_id|target_entity_id) (=|>) |\borganization_key = .*ROWrecorded_at/,
  notifications:
    /\borganization_key = .*\b(notification_id|resource_key|actor_id|location_id) (=|>) |\borganization_key = .*ROWnotified_at/,
  notification_recipients: /\borganization_key = .*\b(notification_id = |user_id = |ROWuser_id)/,
  notification_preferences: /\borganization_key = .*\b(resource_key|user_id) (=|>=) /,
  document_migrations: /\borganization_key = /,
  threads: /\borganization_key = .*(\b(resource_key|annotation_id) (=|>=) |\bROW\w*last_updated|last_updated)/,
  thread_comments: /\borganization_key = .*\b(annotation_id|author_id) = |\bwords @@ |\bapi_key_id = /,
  thread_users: /\borganization_key = .*\b(annotation_id|user_id) = /,
  events: /\bstream = |\bapi_key_id = .*(tick|\buser_id = )/,
  event_followers: /\b(consumer|api_key_id) = /,
  mails:
    /\bmail_id = |\bapi_key_id \|\| ' '::text \|\| state.* = |\blowerrecipient::text = |\bapi_key_id = .*\b(user_id|stream) = /,
  comment_mailings: /\borganization_key = .*\b(mailing_id|annotation_id) = |\bapi_key_id (=|>) /,
  comment_mail_items: /\borganization_key = .*\b(annotation_id|user_id) = /,
  comment_mail_results: /\borganization_key = .*\b(annotation_id|user_id) = /,
  mail_addresses: /\baddress = /,
  event_streams: /\bstream = /,
  webhook_settings: /\bapi_key_id = /,
  webhook_endpoints: /\b(endpoint_key|api_key_id) = /,
  webhook_deliveries: /\bendpoint_key = /,
  webhook_attempts: /\b(attempt_key|endpoint_key) = /,
}

/** Statements that scan an organization or an API key on purpose, each with its reason. */
const GO_THROUGH: Record<string, string> = {
  'organizations.delete': 'deletes everything of an organization',
  'organizations.count-large': 'counts the documents of an organization before they are deleted',
  'documents.add of document_aliases': 'checks whether there is any',
  'users.set-has-disabled': 'checks whether there is any',
  'documents.count': 'counts all of them',
  'overview.count': 'counts all of them, up to a limit',
  'findings.resources of resources': 'judges a limited number, in the order of keys',
  'findings.grants of grants': 'the same',
  'findings.filled of resources': 'looks at a limited number, to see whether an organization has any',
  'findings.grants of resources': 'the same',
  'key-config.count-by-default of resources': 'counts among a limited number, in the order of keys',
  'usage.count-contents of resources': 'counts all of them',
  'usage.count-contents of threads': 'counts all of them',
  'usage.count-contents of users': 'counts all of them',
  'usage.store-contents of resources': 'counts all of them',
  'usage.store-contents of threads': 'counts all of them',
  'usage.store-contents of users': 'counts all of them',
  'documents.count-top': 'counts all of them',
  'users.count-of-documents': 'counts those of all documents',
  'events.find-ticks': 'reads the first event of a key and the last',
  'users.list-of-documents': 'scans the grants on documents in the order of users',
  'users.list-by-document': 'scans the grants on documents in their order',
  'permissions.simulate of grants': 'scans the users of an organization, each once',
  'permissions.simulation-scope of grants': 'the same',
  'permissions.explain of resources': 'looks at a limited number, to see whether an organization has any',
  'permitted-resources.list-folders of resources': 'reads the first of those that have an access type of their own',
  'permitted-resources.list-documents of resources': 'the same, and the first of each open folder',
  'permitted-resources.walk-folders of resources': 'scans a limited number, in the order of keys',
  'permitted-resources.walk-documents of resources': 'the same',
  'user-access.list-organizations of resources': 'reads the first with an access type `public` of its own',
  'api-keys.delete-document-aliases': 'deletes everything of a key, portion by portion',
  'api-keys.delete-documents': 'the same',
  'api-keys.delete-mails': 'the same',
  'api-keys.delete-folders': 'the same',
  'api-keys.delete-activities': 'the same',
  'api-keys.delete-notifications': 'the same',
  'api-keys.delete-notification-recipients': 'the same',
  'api-keys.delete-notification-preferences': 'the same',
  'api-keys.delete-grants': 'the same',
  'api-keys.delete-document-migrations': 'the same',
  'api-keys.delete-invitations': 'the same',
  'invitations.count-pending': 'counts the pending ones, by their own index',
  'key-config.count-commenters': 'counts what has the role, of grants by their own index',
  'api-keys.delete-users': 'the same',
}

/** Pages that stop when they are full, so they must not sort what follows. */
const BY_NAME = [
  'organizations.list',
  'folders.list-top',
  'folders.list-sub',
  'documents.list-top',
  'documents.list-folder',
  'user-groups.list',
  'profiles.list',
].flatMap((list) => [`${list} by name`, `${list} by name desc`])
const IN_ORDER = ['documents.list', 'documents.list-top', 'documents.list-folder', ...BY_NAME]

const ONE_TENANT = /\b(organization_key|api_key_id) = /

/** Sweeps: they read the due rows of all tenants, by indexes of their own. */
const SWEEPS: Record<string, string> = {
  'documents.list-indexed': 'an index that the operator may create; runs only if it is there',
  'documents.list-top-indexed': 'the same',
  'documents.list-folder-indexed': 'the same',
  'webhook-attempts.delete-old': 'the oldest attempts, by their numbers',
  'document-migrations.claim': 'the jobs that are due',
  'document-migrations.count': 'the jobs that are not finished, up to a bound',
  'workspaces.has-any': 'at the start and at the first visit: the first workspace that there is',
  'event-feed.is-restored': 'at the start: the last event of each API key',
  'events.next-key': 'the keys that have events, one at a time',
  'events.remove-old-of-none': 'the first events of workspaces',
  'usage.claim-count': 'the next API key that is due, one at a time',
  'event-feed.rebase': 'at the first start after a restore: all events',
  'event-feed.measure': 'the same',
  'event-feed.find-step': 'the same, in the order of their keys',
  'event-feed.rebase-organizations': 'the same: the counters of all organizations',
  'event-feed.rebase-followers': 'the same: the counters of all other streams',
  'mails-smtp.claim': 'the mails that are due',
  'mails-smtp.count': 'the mails that are not sent yet, up to a bound',
  'mails-sendgrid.claim': 'the same',
  'mails-sendgrid.count': 'the same',
  'comment-mailings.claim': 'the comments that are due, by their own partial index',
  'comment-mailings.count': 'the comments that are not mailed yet, up to a bound',
  'mails.count-waiting': 'what is not sent yet, up to a bound',
  'event-followers.count-behind': 'the first event that each follower has not read',
}

/** Sweeps that read due rows by time. */
const BY_TIME: Record<string, RegExp> = {
  'permissions.lock-expiring of grants': /\bexpiring_at <= /,
  'due-work.find of grants': /\b(expiring_at|expires_at) <= /,
  'due-work.find of webhook_endpoints': /\bdue_at <= /,
  'due-work.find of mails': /\bdue_at <= /,
  'due-work.find of document_migrations': /\bdue_at <= /,
  'due-work.find of comment_mailings': /\bdue_at <= /,
  'webhook-deliveries.find-ready of webhook_endpoints': /\bdue_at <= /,
  'webhook-deliveries.lock of webhook_endpoints': /\bdue_at <= /,
  'webhook-deliveries.count-due of webhook_endpoints': /\bdue_at <= /,
  'permissions.find-provided of grants': /\bprovided_by = .*principal = /,
  'permissions.lock-expired of grants': /\bexpires_at <= /,
  'permissions.lock-long-expired of grants': /\bexpiry_event_at <= /,
  'mails.delete-old of mails': /\bfinished_at <= /,
  'comment-mails.delete-old-results of comment_mail_results': /\bfinished_at <= /,
  'passkey-challenges.delete-expired of passkey_challenges': /\bexpires_at <= /,
  'login-links.delete-old of login_links': /\bexpires_at <= /,
  'sso-sign-ins.delete-old of sso_sign_ins': /\bexpires_at <= /,
  'device-authorizations.delete-expired of device_authorizations': /\bexpires_at <= /,
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Statements that merge ordered indexes as far as they need, and so must not sort. */
const MERGES = ['permitted-resources.walk-documents']

/** Whether a plan sorts rows of grants before it numbers them: then it returns none before it has read all. */
const numbersInOwnOrder = (node: PlanNode): boolean =>
  node['Node Type'] === 'WindowAgg' &&
  node.Plans?.[0]?.['Node Type'].endsWith('Sort') === true &&
  node.Plans[0].Plans?.[0]?.['Relation Name'] === 'grants'

/** Statements that compare pairs of few rows. */
const COMPARES: Record<string, string> = {
  'comments.delete': 'the comments of a call',
  'comments.update': 'the same',
  'domain-requests.make-room': 'the requests of one API key, which are bounded',
  'permitted-resources.list-documents': 'the open folders of a part of a list',
  'permitted-resources.list-folders': 'the same',
}

/** Whether a plan compares each row of one set of the call with each of another: a call of 1,000 rows compares a million pairs. */
const comparesPairs = (node: PlanNode): boolean =>
  node['Node Type'] === 'Nested Loop' &&
  /\.\w+ = [\w"* ]+\.\w/.test(node['Join Filter'] ?? '') &&
  !nodesOf(node.Plans?.[1] ?? node).some((inner) => inner['Node Type'].includes('Index'))

async function planOf(db: Db, { name, text }: { name: string; text: string }): Promise<PlanNode> {
  const parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  return db.transaction(async (session) => {
    await session.query(`prepare "plan of ${name}" as ${text}`)
    const values = Array.from({ length: parameters }, () => 'null').join(', ')
    const { rows } = await session.query(
      `explain (format json) execute "plan of ${name}"${parameters === 0 ? '' : `(${values})`}`,
    )
    const [row] = rows as { 'QUERY PLAN': [{ Plan: PlanNode }] }[]
    return row?.['QUERY PLAN'][0].Plan ?? assert.fail('no plan')
  })
}

/** Tables to which no call adds hundreds of rows. */
const COPIES = [
  `insert into workspaces select (jsonb_populate_record(w, jsonb_build_object('workspace_id', 'w' || g))).*
     from workspaces w, generate_series(1, 500) g`,
  `insert into workspace_tokens (token_hash, workspace_id, name, token_sealed)
   select sha256(convert_to(workspace_id, 'UTF8')), workspace_id, 'copy', '' from workspaces`,
  `insert into operators (workspace_id, email, name, role)
   select workspace_id, g || '@example.com', 'copy', 'support' from workspaces, generate_series(1, 3) g`,
  `insert into login_links (link_hash, workspace_id, operator_id, created_at, expires_at)
   select sha256(convert_to(operator_id::text, 'UTF8')), workspace_id, operator_id, now(), now() from operators`,
  `insert into operator_identities (workspace_id, issuer, subject, operator_id, has_role_of_rule)
   select workspace_id, 'https://login.example.com', operator_id::text, operator_id, false from operators`,
  `insert into sso_configs (workspace_id, enabled, issuer, client_id, roles)
   select workspace_id, true, 'https://login.example.com', 'copy', '[]' from workspaces`,
  `insert into sso_domains (workspace_id, domain, verified_at)
   select workspace_id, workspace_id || '.example', now() from workspaces`,
  `insert into sso_sign_ins (state_hash, browser_hash, workspace_id, issuer, client_id, expires_at)
   select sha256(convert_to(workspace_id, 'UTF8')), '', workspace_id, '', '', now() from workspaces`,
  `insert into device_authorizations (device_code_hash, user_code, machine, user_agent, address, expires_at, poll_seconds)
   select sha256(convert_to(workspace_id, 'UTF8')), workspace_id, '', '', '', now(), 5 from workspaces`,
  `insert into api_keys select (jsonb_populate_record(k, jsonb_build_object('api_key_id', 'k' || g, 'workspace_id', 'w' || g))).*
     from api_keys k, generate_series(1, 500) g where k.api_key_id in (select api_key_id from organizations)`,
  `insert into auth_tokens (token_hash, api_key_id, name, token_sealed)
   select sha256(convert_to(api_key_id, 'UTF8')), api_key_id, 'copy', '' from api_keys`,
  `insert into domain_requests (api_key_id, domain) select api_key_id, 'host' || g from api_keys, generate_series(1, 3) g`,
  `insert into usage_days (api_key_id, day) select api_key_id, current_date - g from api_keys, generate_series(1, 3) g`,
  `insert into usage_hours (api_key_id, hour)
   select api_key_id, now() - make_interval(hours => g) from api_keys, generate_series(1, 3) g`,
  `insert into signing_keys (api_key_id, kid, public_jwk, private_key_sealed) select api_key_id, 'copy', '{}', '' from api_keys`,
  `insert into organizations (organization_key, api_key_id, organization_id, added_at)
   select gen_random_uuid(), 'k' || (g % 500 + 1), 'o' || g, now() from generate_series(1, 2500) g`,
  `insert into resources (organization_key, resource_key, kind, id, added_at)
   select o.organization_key, gen_random_uuid(), 'document', 'd', now() from organizations o
    where not exists (select from resources r where r.organization_key = o.organization_key)`,
  `insert into grants (organization_key, resource_key, principal, kind, standing_role)
   select organization_key, resource_key, 'u', 'document', 'viewer' from resources where id = 'd'`,
  `insert into users (api_key_id, user_id) select api_key_id, 'u' || g from api_keys, generate_series(1, 4) g`,
  `insert into disabled_users (api_key_id, user_id) select api_key_id, 'u' || g from api_keys, generate_series(1, 10) g`,
  `insert into document_aliases select organization_key, 'old ' || id, resource_key from resources where kind = 'document'`,
  `insert into document_migrations (organization_key, migration_id, document_id, new_document_id, actor, status, finished_at)
   select organization_key, gen_random_uuid(), id, 'new ' || id, '{}', 'pending', case when random() < 0.5 then now() end
     from resources where kind = 'document'`,
  `insert into invitations (organization_key, resource_key, kind, invitee, address, email, inviter, invited_by)
   select organization_key, resource_key, kind, chr(2) || resource_key, resource_key::text, '', resource_key::text, '{}'
     from resources where kind = 'document'`,
  `insert into threads (organization_key, resource_key, annotation_id, created_at, last_updated, content, comments_written,
                        last_position, comment_count, bytes)
   select organization_key, resource_key, 't' || g, now(), now(),
          '{"from": {"userId": "u"}, "status": {"id": "OPEN", "type": "default"}, "visibility": {"type": "public"}}', 2, 2, 2, 99
     from (select * from resources where kind = 'document' limit 500) r, generate_series(1, 3) g`,
  `insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
   select organization_key, resource_key, annotation_id, g, g, now(), now(), content, 9 from threads, generate_series(1, 2) g`,
  `insert into thread_users (organization_key, resource_key, annotation_id, user_id)
   select organization_key, resource_key, annotation_id, 'u' || g from threads, generate_series(1, 2) g`,
  `insert into comment_mailings (api_key_id, organization_key, resource_key, annotation_id, comment_id, action_type, due_at)
   select o.api_key_id, c.organization_key, c.resource_key, c.annotation_id, c.comment_id, 'added', now()
     from thread_comments c join organizations o using (organization_key)`,
  `insert into comment_mail_items (organization_key, resource_key, annotation_id, comment_id, user_id, action_type)
   select organization_key, resource_key, annotation_id, comment_id, 'u' || g, 'added' from thread_comments, generate_series(1, 2) g`,
  `insert into comment_mail_results (organization_key, resource_key, annotation_id, comment_id, user_id, outcome)
   select organization_key, resource_key, annotation_id, comment_id, 'u' || g, 'sent' from thread_comments, generate_series(3, 4) g`,
  `insert into activities (organization_key, activity_id, resource_key, feature_type, action_type, actor_id, is_immutable, content)
   select organization_key, resource_key::text, resource_key, 'custom', '', resource_key::text, false, '{}' from resources where kind = 'document'`,
  `insert into notifications (organization_key, notification_id, resource_key, notification_source, actor_id, notifies_all, content)
   select organization_key, resource_key::text, resource_key, 'custom', resource_key::text, random() < 0.5, '{}' from resources where kind = 'document'`,
  `insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named)
   select organization_key, notification_id, 'u' || g, notified_at, g < 3 from notifications, generate_series(1, 4) g`,
  `insert into notification_preferences (organization_key, resource_key, user_id, channels)
   select organization_key, resource_key, 'u', '{}' from resources where kind = 'document'`,
  `insert into webhook_settings select api_key_id, true, false, false, '' from api_keys on conflict do nothing`,
  `insert into webhook_endpoints (api_key_id, endpoint_id, kind, url, active, failing_since, due_at)
   select api_key_id, 'ep_' || g, 'signed', '', true, case when g = 3 then now() end, case when g > 1 then now() end
     from api_keys, generate_series(1, 3) g`,
  `insert into webhook_deliveries (endpoint_key, stream, sequence, due_at)
   select endpoint_key, gen_random_uuid(), g, now() from webhook_endpoints, generate_series(1, 5) g`,
  `insert into webhook_attempts (endpoint_key, stream, sequence, event_type, attempt, attempted_at, duration_ms, excerpt)
   select endpoint_key, stream, sequence, 'type', 1, now(), 1, '' from webhook_deliveries`,
  `insert into event_followers (consumer, api_key_id, seen) select 'webhooks', api_key_id, pg_current_snapshot() from api_keys`,
]

/** Returns the statements whose plan reads one of our tables without its keys. */
async function farReaches(db: Db): Promise<string[]> {
  const far: string[] = []
  for (const statement of await exportedStatements()) {
    if (statement.name.startsWith('migrate.') || statement.name in SWEEPS) continue
    const nodes = nodesOf(await planOf(db, statement))
    if (MERGES.includes(statement.name) && !nodes.some((node) => node['Node Type'] === 'Merge Append'))
      far.push(`${statement.name}: sorts`)
    for (const node of nodes) {
      if (IN_ORDER.includes(statement.name) && node['Node Type'].endsWith('Sort')) far.push(`${statement.name}: sorts`)
      if (comparesPairs(node) && !(statement.name in COMPARES))
        far.push(`${statement.name}: compares pairs: ${node['Join Filter']}`)
      if (numbersInOwnOrder(node)) far.push(`${statement.name}: sorts all grants of groups on a resource`)
      const table = node['Relation Name'] ?? ''
      const goesThrough = statement.name in GO_THROUGH || `${statement.name} of ${table}` in GO_THROUGH
      const byTime = BY_TIME[`${statement.name} of ${table}`]
      const key = byTime ?? (KEYS[table] && goesThrough ? ONE_TENANT : KEYS[table])
      if (key === undefined || !/^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(node['Node Type'])) continue
      const condition = node['Index Cond'] ?? 'none'
      if (/resource_key = .*annotation_id = /.test(condition) && /^threads__/.test(node['Index Name'] ?? ''))
        far.push(`${statement.name}: finds one thread among those of its document`)
      if (/principal = .*resource_key = /.test(condition) && !condition.includes('kind = '))
        far.push(`${statement.name}: finds one grant among those of its user`)
      if (!key.test(condition.replaceAll(/[()]/g, '')))
        far.push(
          `${statement.name}: ${node['Node Type']} of ${table} by ${node['Index Name'] ?? 'no index'}: ${condition}`,
        )
    }
  }
  return far
}

/** PostgreSQL 17 and later join a table as a whole that is empty and was never analyzed. The plan is made again as the table grows. */
const WHILE_EMPTY = ['threads.update: Index Scan of organizations by organizations_pkey: none']

describe('the plan of each statement', () => {
  it('finds rows by their keys on a store that was never analyzed', async () => {
    const { db } = await startServer()
    const [{ isLater } = { isLater: false }] = (
      await db.query(`select current_setting('server_version_num')::int >= 170000 as "isLater"`)
    ).rows as { isLater: boolean }[]
    const far = await farReaches(db)
    assert.deepEqual(isLater ? far.filter((found) => !WHILE_EMPTY.includes(found)) : far, [])
  })

  it('finds rows by their keys on an analyzed store of some thousands of rows', async () => {
    const server = await startServer()
    await fill(server, await server.newKey())
    assert.deepEqual(await farReaches(server.db), [])
  })
})

interface Pair {
  one: string
  other: string
}
const PROBE = setStatement<Pair, Pair>(
  'growing.probe',
  { one: 'text', other: 'text' },
  'select g.* from $input join growing g on g.one = item.one and g.other = item.other',
)

describe('a plan that was made while a table was small', () => {
  it('is renewed when the table has grown', async () => {
    const { db, close } = await openOneConnection()
    cleanUp(close)
    await db.script('create table growing (one text, other text, primary key (one, other))')
    await db.script('vacuum analyze growing')
    const probe = async () => {
      await db.runSet(PROBE, [{ one: 'a', other: 'b' }])
      const { rows } = await db.query(`explain execute "growing.probe"('{a}', '{b}')`)
      return JSON.stringify(rows)
    }
    const whenSmall = await probe()
    const fill = `insert into growing select 'a', g::text from generate_series(1, 20000) g`
    await db.script(fill)
    assert.equal(await probe(), whenSmall)
    for (let rows = 0; rows < 20; rows++) await db.runSet(PROBE, [{ one: 'a', other: String(rows) }])
    const whenLarge = await probe()
    assert.doesNotMatch(whenSmall, /Index Cond: .*other = /)
    assert.match(whenLarge, /Index Cond: .*other = /)
  })
})

/** A store with one connection, so that all statements share its plans. */
async function openOneConnection(): Promise<{ db: Db; close: () => Promise<void> }> {
  if (ENGINE === 'embedded') {
    const { db, remove } = await createStore()
    return { db, close: () => db.close().then(remove) }
  }
  const { url, remove } = await createDatabase()
  const db = await openPostgres(url, { now: () => null }, { connections: 1, statementTimeoutMs: 60_000 })
  return { db, close: () => db.close().then(remove) }
}

/** Adds thousands of rows to the large tables of a data set, and hundreds to the others. */
async function fill({ db, clock }: OwnServer, key: Client): Promise<void> {
  const ids = Array.from({ length: 1_000 }, (_, index) => `id${index}`)
  await key.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })
  for (const organizationId of ids.slice(0, 1)) {
    await key.call(addFolders, { organizationId, folders: ids.map((folderId) => ({ folderId })) })
    await key.call(addDocuments, {
      organizationId,
      folderId: 'id1',
      documents: ids.map((documentId) => ({ documentId })),
    })
    await key.call(addUsers, { organizationId, users: ids.map((userId) => ({ userId })) })
  }
  // At that time no copy is due, so the workers of the server ignore them.
  clock.set(new Date(0))
  for (const text of COPIES) await db.query(text)
  for (const table of Object.keys(KEYS)) await db.query(`vacuum analyze ${table}`)
}
