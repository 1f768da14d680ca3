/** The rules of the tables: which code writes each table, and that every statement names the organization of its rows. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { SetStatement } from '#platform/db/statement.ts'
import { exportedStatements } from '../../scripts/golden.ts'
import { files, read, SOURCES } from './sources.ts'

const statements = await exportedStatements()

const DDL = files('db/migrations/*.sql').map(read).join('\n')
const TABLES = [...DDL.matchAll(/^create table (\w+) \(\n(.*?)^\)/gms)].map(([, name = '', body = '']) => ({
  name,
  body,
}))
const OF_AN_ORGANIZATION = TABLES.filter(({ body }) => /^ *organization_key /m.test(body)).map(({ name }) => name)

const OWNERS: Record<string, string> = {
  workspaces: 'features/workspaces',
  workspace_tokens: 'features/workspace-tokens',
  login_links: 'features/login-links',
  invitation_mails: 'features/login-links',
  operators: 'features/operators',
  findings_mails: 'features/findings',
  passkeys: 'features/operators',
  passkey_challenges: 'features/operators',
  operator_identities: 'features/single-sign-on',
  sso_configs: 'features/single-sign-on',
  sso_domains: 'features/single-sign-on',
  sso_sign_ins: 'features/single-sign-on',
  api_keys: 'features/api-keys',
  auth_tokens: 'features/auth-tokens',
  signing_keys: 'features/signing-keys',
  domain_requests: 'features/domains',
  usage_days: 'features/usage',
  usage_hours: 'features/usage',
  users: 'features/users',
  disabled_users: 'features/users',
  activities: 'features/activities',
  notifications: 'features/notifications',
  notification_recipients: 'features/notifications',
  notification_preferences: 'features/notifications',
  user_groups: 'features/user-groups',
  user_group_members: 'features/user-groups',
  organizations: 'features/resources/organizations',
  resources: 'features/resources',
  document_aliases: 'features/resources/documents',
  grants: 'features/permissions',
  invitations: 'features/invitations',
  document_migrations: 'features/migrations',
  threads: 'features/comments',
  thread_comments: 'features/comments',
  thread_users: 'features/comments',
  deleted_private_threads: 'features/comments',
  user_access_revocations: 'features/user-access',
  user_data_deletions: 'features/user-data',
  events: 'tenancy',
  event_streams: 'tenancy',
  event_followers: 'tenancy',
  idempotency_keys: 'features/idempotency-keys',
  console_sessions: 'features/console',
  device_authorizations: 'features/console',
  mail_addresses: 'features/mail',
  mails: 'features/mail',
  comment_mailings: 'features/comments',
  comment_mail_items: 'features/mail',
  comment_mail_results: 'features/mail',
  search_entries: 'features/search',
  webhook_settings: 'features/webhooks',
  webhook_endpoints: 'features/webhooks',
  webhook_deliveries: 'features/webhooks',
  webhook_attempts: 'features/webhooks',
  installation: 'app',
  buckets: 'buckets',
  bucket_moves: 'buckets',
  key_moves: 'buckets',
  key_places: 'buckets',
  database_epochs: 'platform',
  database_clock: 'tenancy',
}

const OTHER_WRITERS: Record<string, string> = {
  'buckets → auth_tokens': 'a key that has moved has no credentials in the database that it has left',
  'buckets → signing_keys': 'a key that has moved has no credentials in the database that it has left',
  'buckets → events': 'a key that moves takes along those that it left when it was there before',
  'buckets → database_epochs': 'a bucket that has moved continues the epochs of the database before',
  'tenancy → organizations': 'it locks them, creating the row to lock, and counts their events',
  'tenancy → grants': 'very many documents are deleted in steps, with their grants',
  'tenancy → resources': 'an organization is opened together with its own resource',
  'tenancy → user_data_deletions': 'after a restore, an erasure waits for no transaction of the server before',
  'features/api-keys → auth_tokens': 'a key is born with its auth token',
  'features/api-keys → signing_keys': 'a key is born with its signing key',
  'features/api-keys → users': 'a key is deleted with its users',
  'features/api-keys → document_migrations': 'a key is deleted with everything in its organizations',
  'features/api-keys → user_data_deletions': 'a key is deleted with the jobs that erase its users',
  'features/api-keys → user_access_revocations': 'a key is deleted with the jobs that revoke the access of its users',
  'features/api-keys → mails': 'a key is deleted with the mails of its users',
  'features/api-keys → user_groups': 'a key is deleted with everything in its organizations',
  'features/api-keys → user_group_members': 'a key is deleted with everything in its organizations',
  'features/api-keys → grants': 'a key is deleted with everything in its organizations',
  'features/api-keys → activities': 'a key is deleted with everything in its organizations',
  'features/api-keys → notifications': 'a key is deleted with everything in its organizations',
  'features/api-keys → notification_recipients': 'a key is deleted with everything in its organizations',
  'features/api-keys → notification_preferences': 'a key is deleted with everything in its organizations',
  'features/api-keys → document_aliases': 'a key is deleted with everything in its organizations',
  'features/api-keys → invitations': 'a key is deleted with everything in its organizations',
  'features/api-keys → resources': 'a key is deleted with everything in its organizations',
  'features/api-keys → organizations': 'a key is deleted with its organizations',
  'features/console/sessions → operators': 'a sign-in by mail or with a provider proves the address of the operator',
  'features/console/sessions → passkeys': 'and ends what somebody else may have added before',
  'features/console/sessions → login_links': 'and the links that the inviter has',
  'features/operators → console_sessions':
    'sessions end sooner once a company decides whether their operator has access',
  'features/operators → device_authorizations': 'and so do those that command lines will get',
  'features/workspace-tokens → login_links': 'replacing all tokens also ends the links that were not used',
  'features/key-config → api_keys': 'it changes settings of the key',
  'features/service-configs → api_keys': 'it changes settings of the key',
  'features/domains → api_keys': 'it changes settings of the key',
  'features/permission-provider → api_keys': 'the secret that signs answers is created when it is first needed',
  'features/permissions/grants → organizations': 'the first grant of a group marks its organization',
  'features/permissions/grants → resources': 'a grant declares the folder or document that it is the first to mention',
  'features/migrations → resources': 'a migration renames a document',
  'features/migrations → grants': 'a migration moves the grants of a declared target',
  'features/migrations → invitations': 'a migration moves the invitations to a declared target',
  'features/migrations → activities': 'a migration moves the activities on a declared target',
  'features/migrations → notifications': 'a migration moves those of a declared target',
  'features/migrations → notification_preferences': 'a migration moves those of a declared target',
  'features/migrations → document_aliases': 'a migration leaves an alias behind',
  'features/user-tokens → users': 'revoking the tokens of a user moves on the moment that they carry',
  'features/users → grants': 'users.update sets roles of grants that are there, users.delete takes them away',
  'features/users → user_group_members': 'users.delete takes users out of the groups',
  'features/user-groups → grants': 'the grants of a user group are deleted with it',
  'features/user-access → grants': 'revoking all access of users deletes their grants',
  'features/user-access → user_group_members': 'and takes them out of the groups',
  'features/comment-data → threads': 'an import writes what an export has read',
  'features/comment-data → thread_comments': 'the same',
  'features/comment-data → thread_users': 'the same',
  'features/comment-data → notifications': 'the same',
  'features/comment-data → notification_recipients': 'the same',
  'features/comment-data → notification_preferences': 'the same',
  'features/comment-data → activities': 'the same',
  'features/comment-data → deleted_private_threads': 'the same',
  'features/user-data → grants': 'erasing users takes away their grants',
  'features/user-data → user_group_members': 'and takes them out of the groups',
  'features/user-data → thread_users': 'and what threads have of them, after their comments and mentions are erased',
  'features/user-data → invitations': 'and deletes their invitations, and their names from those of others',
  'features/user-data → activities': 'and replaces them in activities by pseudonyms',
  'features/user-data → notifications': 'and deletes theirs',
  'features/user-data → notification_recipients': 'and deletes theirs',
  'features/user-data → notification_preferences': 'and deletes theirs',
  'features/user-data → users': 'erasing users deletes their profiles',
  'features/events → events': 'old ones are removed there',
  'features/users → api_keys': 'the row of a key says whether users may be disabled',
  'tenancy → disabled_users': 'enabling users and erasing them share one statement',
  'features/user-data → mails': 'erasing users removes the mails to them',
  'features/user-data → comment_mail_items': 'an erasure deletes what waits to be mailed to the user',
  'features/user-data → comment_mail_results': 'and what became of such mails',
  'features/mail/comments → comment_mailings':
    'it takes the comments that are queued, with the same transaction that collects them',
  'features/user-data → events': 'erasing users removes their names from events',
  'features/resources/folders → grants': 'a very large folder is deleted in steps, with its grants',
  'features/resources/organizations → grants': 'an organization is deleted with everything inside',
  'features/resources/organizations → threads':
    'a deleted organization is taken from the visibility of threads of others',
  'features/resources/organizations → invitations': 'an organization is deleted with everything inside',
  'features/resources/organizations → document_migrations': 'an organization is deleted with everything inside',
  'features/resources/organizations → user_groups': 'an organization is deleted with everything inside',
}

/** `features/resources/folders`, `tenancy`; `app` for the files directly in `server`. */
const roomOf = (file: string): string => /^server\/(features\/.+(?=\/)|\w+(?=\/))/.exec(file)?.[1] ?? 'app'

/** Returns `room → table` for each table that a room other than its owner writes. Deletions are also generated from a list. */
function foreignWrites(): Set<string> {
  const written = [
    ...SOURCES.map((file) => ({ file, writes: read(file).matchAll(/\b(?:insert into|update|delete from)\s+(\w+)/g) })),
    ...statements.map(({ file, text }) => ({ file, writes: text.matchAll(/\bdelete from\s+(\w+)/g) })),
  ]
  const found = written.flatMap(({ file, writes }) =>
    [...writes].flatMap(([, table = '']) => {
      const owner = OWNERS[table]
      const room = roomOf(file)
      return owner === undefined || `${room}/`.startsWith(`${owner}/`) ? [] : [`${room} → ${table}`]
    }),
  )
  return new Set(found)
}

/** Statements on tables of an organization that cross organizations, each with its reason. */
const ACROSS_ORGANIZATIONS: Record<string, string> = {
  'organizations.list': 'lists the organizations of an API key, by an index that starts with the key',
  'organizations.list by name': 'likewise',
  'organizations.list by name desc': 'likewise',
  'overview.count': 'counts the resources of an API key, organization by organization, up to a limit',
  'overview.jobs': 'likewise',
  'mails.add': 'reports events of many organizations; users of a group are found in the organization of their event',
  'api-keys.lock-organizations':
    'all organizations of an API key that is deleted, by an index that starts with the key',
  'api-keys.delete-document-migrations': 'likewise',
  'api-keys.delete-user-group-members': 'likewise',
  'api-keys.delete-user-groups': 'likewise',
  'api-keys.delete-invitations': 'likewise',
  'api-keys.delete-activities': 'likewise',
  'api-keys.delete-notification-preferences': 'likewise',
  'api-keys.delete-notification-recipients': 'likewise',
  'api-keys.delete-notifications': 'likewise',
  'api-keys.delete-grants': 'likewise',
  'api-keys.delete-document-aliases': 'likewise',
  'api-keys.delete-documents': 'likewise',
  'api-keys.delete-folders': 'likewise',
  'api-keys.delete-organizations': 'likewise',
  'user-jobs.count-organizations': 'the organizations that a job goes through, by the index that starts with the key',
  'search.scan-comments': 'a page of the comments of a key, by the index that starts with the key',
  'search.look-up-comments': 'the comments with some words, which name the key',
  'user-data.find-knowing': 'scans the organizations of a key, by the index that starts with the key',
  'user-data.find-named-knowing': 'the same for named ones',
  'user-access.find-held': 'the same for those with access to revoke',
  'user-access.list-organizations': 'a page of the organizations of a key, by the index that starts with the key',
  'due-work.find': 'whether any job is due, by the partial index of each queue',
  'document-migrations.claim': 'the jobs that are due, by their own partial index',
  'document-migrations.count': 'the same',
  'comment-mailings.claim': 'the comments that are due, by its own partial indexes',
  'comment-mailings.count': 'the same',
  'comment-mails.delete-old-results': 'the sweep for what was recorded 30 days ago, by its own index',
  'event-feed.rebase-organizations': 'at the first start after a restore: lets the counters of all of them begin again',
  'findings.filled': 'reads the organizations that the call names, whose ids nearly equal that of a grant',
  'findings.neighbours': 'lists ids of organizations, to compare them with one that only grants have named',
  'key-config.count-by-default': 'a default of an API key opens documents in all of its organizations',
  'key-config.count-commenters': 'what has the role that an API key drops, in the organizations of the key',
  'usage.count-contents': 'what an API key has, in all its organizations',
  'usage.store-contents': 'the same',
  'permissions.find-provided':
    'what the permission provider of an API key gave a user, by an index that starts with the key',
  'permissions.lock-expiring': 'the sweep for grants that are about to expire, by its own partial index',
  'permissions.lock-expired': 'the sweep for grants that have expired, by its own partial index',
  'permissions.lock-long-expired': 'the same for those whose event is old',
}

function namesItsOrganization({ text, ...statement }: (typeof statements)[number]): boolean {
  const { columns, requestColumns = [] } = statement as Partial<SetStatement<{ organizationKey: string }, unknown>>
  return columns === undefined
    ? /organization_key = \$\d/.test(text)
    : [...columns, ...requestColumns].includes('organizationKey')
}

const touches = (text: string, tables: readonly string[]): boolean =>
  tables.some((table) => new RegExp(`\\b(?:from|join|into|update)\\s+${table}\\b`).test(text))

describe('the tables', () => {
  it('knows the owner of every table', () => {
    assert.deepEqual(TABLES.map(({ name }) => name).sort(), Object.keys(OWNERS).sort())
  })

  it('lets only the owner write a table, except where a reason is given', () => {
    assert.deepEqual([...foreignWrites()].sort(), Object.keys(OTHER_WRITERS).sort())
  })

  it('exports every statement, so that it is in the golden file and checked here', () => {
    const hidden = SOURCES.filter((file) => /^server\/(features|tenancy)/.test(file)).flatMap((file) =>
      [...read(file).matchAll(/^const (\w+) = (?:set)?statement\b/gim)].map(([, name]) => `${file}: ${name}`),
    )
    assert.deepEqual(hidden, [])
  })

  it('says in one place whether a grant is live, and whether a token is valid', () => {
    const OF_OTHERS = /^server\/features\/(?:console|idempotency-keys|login-links|operators|single-sign-on)\//
    const comparing = SOURCES.filter((file) => file.startsWith('server/') && !OF_OTHERS.test(file)).filter((file) =>
      /expires_at(?:'\)|\))*\s*(?:[<>](?!>)|between)|[<>]=?\s*(?:\w+\.)?expires_at|\bexpiresAt\} [<>]/.test(read(file)),
    )
    assert.deepEqual(comparing, ['server/tenancy/callers/token-records.ts', 'server/tenancy/grants.ts'])
    const ofOthers = statements.filter(({ file }) => OF_OTHERS.test(file))
    assert.deepEqual(
      ofOthers.filter(({ text }) => /\bexpires_at\b/.test(text) && touches(text, ['grants'])).map(({ name }) => name),
      [],
    )
  })

  it('gives every statement a unique name', () => {
    const names = statements.map(({ name }) => name)
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    )
  })

  it('names the organization in every statement on a table of an organization', () => {
    const across = statements.filter(
      (statement) => touches(statement.text, OF_AN_ORGANIZATION) && !namesItsOrganization(statement),
    )
    assert.deepEqual(across.map(({ name }) => name).sort(), Object.keys(ACROSS_ORGANIZATIONS).sort())
  })

  it('puts organization_key first in every key and index of a table of an organization', () => {
    const keys = TABLES.filter(({ name }) => OF_AN_ORGANIZATION.includes(name) && name !== 'organizations').flatMap(
      ({ name, body }) =>
        [...body.matchAll(/(?:primary key|unique|foreign key) \((\w+)/g)].map(([, first]) => `${name}: ${first}`),
    )
    assert.deepEqual(
      keys.filter((key) => !key.endsWith(': organization_key')),
      [],
    )
  })
})

it('no statement counts on an index with a test for null that always succeeds', () => {
  // PostgreSQL 17 removes such a test from the statement, and then does not see that the index has all of its rows.
  const schema = read('db/schema.sql')
  const always = [...schema.matchAll(/^CREATE INDEX \w+ ON (\w+) .* WHERE \((\w+) IS NOT NULL\);$/gm)].filter(
    ([, table, column]) =>
      new RegExp(`^CREATE TABLE ${table} \\(\\n(?:(?!^\\);).*\\n)*? {2}${column} [^\\n]* NOT NULL`, 'm').test(schema),
  )
  assert.ok(always.length > 0)
  const found = statements.flatMap(({ name, text }) =>
    always.flatMap(([, table, column]) =>
      [...text.matchAll(new RegExp(`\\b(?:from|join) ${table} (\\w+)\\b`, 'g'))]
        .filter(([, alias]) => new RegExp(`(?:and|where) ${alias}\\.${column} is not null`).test(text))
        .map(([, alias]) => `${name}: ${alias}.${column} is not null`),
    ),
  )
  assert.deepEqual([...new Set(found)], [])
})
