/** Findings: each kind with the calls that fix it, and no finding where everything is in order (rules/access.md#findings). */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { type Finding, type FindingKind, listAccountFindings, listFindings } from '#contract/access/findings.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addPermissions, type ResourceName } from '#contract/access/permissions.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { operationNamed } from '#contract/operations.ts'
import { addDocuments, disableDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations, updateOrganizations } from '#contract/resources/organizations.ts'
import { listAccountUsage } from '#contract/usage/usage.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { rowsRead } from '#testing/rows-read.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { signInCommandLineAs } from '../../../test/conformance/support/console-session.ts'
import { refused } from '../../../test/conformance/support/refused.ts'
import { FIND_RESOURCES } from './resource-statements.ts'

const server = await startServer()
const organizationId = 'acme'
let owner: Client
let key: Client
let workspaces = 0

async function addKey(): Promise<Client> {
  const ownerEmail = 'owner@example.com'
  const created = await owner.call(createApiKey, { ownerEmail, type: 'testing', createAuthToken: true })
  return server.client.with({ 'x-service-api-key': created.apiKey, 'x-service-auth-token': created.authToken ?? '' })
}

beforeEach(async () => {
  const ownerEmail = `findings${++workspaces}@example.com`
  const { id, authToken } = await server.client.call(createWorkspace, { ownerEmail })
  owner = server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
  key = await addKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})
afterEach(() => server.clock.set(null))

type Type = 'organization' | 'folder' | 'document'
const grant = (userId: string, type: Type, id: string, more: object = {}) =>
  key.call(addGrants, {
    grants: [
      { userId, type, id, ...(type === 'organization' ? {} : { organizationId }), accessRole: 'editor', ...more },
    ],
  })
const profile = (userId: string, more: object) => key.call(setProfiles, { users: [{ userId, ...more }] })
const found = async (data: object = {}) => (await key.call(listFindings, data)).findings
const kinds = async () => (await found()).map(({ kind, resource, userId }) => [kind, resource?.id, userId])

/** Makes the calls of a finding; afterwards it is gone. */
async function fix({ calls }: Finding): Promise<void> {
  assert.notEqual(calls.length, 0)
  for (const { operation: name, data } of calls) {
    const operation = operationNamed(name)
    await (operation.credentials === 'workspace' ? owner : key).call(operation, data)
  }
}

/** Expects exactly these findings, and that the calls of each fix it. */
async function expectMendable(...expected: [FindingKind, id?: string, userId?: string][]): Promise<void> {
  assert.deepEqual(
    await kinds(),
    expected.map(([kind, id, userId]) => [kind, id, userId]),
  )
  for (const finding of await found()) await fix(finding)
  assert.deepEqual(await kinds(), [])
}

describe('findings.list', () => {
  it('finds nothing if everything is in order', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans' }] })
    await key.call(addDocuments, { organizationId, folderId: 'plans', documents: [{ documentId: 'roadmap' }] })
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'press-release', accessType: 'public' }] })
    await profile('ada', { name: 'Ada', type: 'employee', title: 'Client director' })
    await grant('ada', 'organization', organizationId)
    await grant('bob', 'folder', 'plans', { accessRole: 'viewer' })
    assert.deepEqual(await key.call(listFindings, {}), { findings: [], isComplete: true })
  })

  it('finds public resources: by default, inside restricted ones, and with a private name', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'hr', accessType: 'restricted' }] })
    await key.call(addDocuments, {
      organizationId,
      folderId: 'hr',
      documents: [{ documentId: 'bands', accessType: 'public' }],
    })
    await key.call(addDocuments, {
      organizationId,
      documents: [
        { documentId: 'd1', documentName: 'Payroll of May' },
        { documentId: 'salaries_2026' },
        { documentId: 'salariesman' },
        { documentId: 'nda', accessType: 'restricted' },
      ],
    })
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'public' })
    await expectMendable(
      ['public_by_default'],
      ['public_in_restricted', 'bands'],
      ['public_private_name', 'd1'],
      ['public_private_name', 'salaries_2026'],
    )
  })

  it('finds guests without an end, trainees who edit everything, and people who left', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap' }] })
    await profile('guest', { name: 'Oliver', type: 'guest' })
    await profile('ending', { isGuest: true })
    await profile('intern', { title: 'Intern' })
    await profile('gone', { leftOn: '2026-01-31' })
    await profile('going', { leftOn: '2999-01-31' })
    await profile('former', { status: 'Former' })
    await grant('guest', 'document', 'roadmap')
    await grant('ending', 'document', 'roadmap', { expiresAt: Math.floor(Date.now() / 1000) + 86_400 })
    await grant('intern', 'organization', organizationId)
    for (const userId of ['gone', 'going', 'former']) await grant(userId, 'document', 'roadmap')
    const elsewhere = await addKey()
    await elsewhere.call(disableUsers, { userIds: ['other'], disabled: true })
    await key.call(disableUsers, { userIds: ['here'], disabled: true })
    await grant('here', 'document', 'roadmap', { accessRole: 'viewer' })
    await grant('other', 'document', 'roadmap', { accessRole: 'viewer' })
    await key.call(updateOrganizations, { organizations: [{ organizationId, organizationName: 'Acme Inc.' }] })
    const [edits] = await found({ kinds: ['trainee_edits_everything'] })
    assert.equal(edits?.sentence, 'The trainee intern edits everything in the organization Acme Inc.')
    const [left] = await found({ kinds: ['left_with_access'] })
    assert.equal(left?.sentence, 'former has left according to the profile and edits the document roadmap.')
    assert.equal((await found()).find(({ userId }) => userId === 'gone')?.since, Date.parse('2026-01-31'))
    const { key: ofOperator } = await signInCommandLineAs(owner, 'admin')
    const seen = await ofOperator(apiKeyOf(key)).call(listFindings, { kinds: ['left_with_access'] })
    assert.deepEqual(
      seen.findings.map(({ userId }) => userId),
      ['former', 'gone', 'other'],
      'only an operator learns who is disabled in another API key',
    )
    await expectMendable(
      ['left_with_access', 'roadmap', 'former'],
      ['left_with_access', 'roadmap', 'gone'],
      ['trainee_edits_everything', organizationId, 'intern'],
      ['guest_without_end', 'roadmap', 'guest'],
    )
  })

  it('finds grants on resources that were never added, and the ids that were probably meant', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'steel-invoice' }] })
    await grant('ada', 'document', 'steel-invioce')
    await grant('ada', 'document', 'something-else')
    const findings = await found()
    assert.match(
      findings[1]?.sentence ?? '',
      /steel-invioce, which was never added\. Probably steel-invoice was meant\.$/,
    )
    assert.deepEqual(
      findings.map(({ calls }) => calls.map(({ operation }) => operation)),
      [['permissions.remove'], ['permissions.add', 'permissions.remove']],
    )
    await expectMendable(['grant_not_added', 'something-else', 'ada'], ['grant_not_added', 'steel-invioce', 'ada'])
  })

  it('gives nobody access for longer in order to fix a finding about a temporary grant', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 86_400
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'steel-invoice' }] })
    await grant('ada', 'document', 'steel-invioce', { expiresAt })
    await grant('ada', 'document', 'steel-invioce', { accessRole: 'viewer' })
    await grant('bob', 'document', 'steel-invioce', { expiresAt })
    for (const userId of ['intern', 'both']) await profile(userId, { title: 'Intern' })
    await grant('intern', 'organization', organizationId, { expiresAt })
    await grant('both', 'organization', organizationId, { expiresAt })
    await grant('both', 'organization', organizationId, { accessRole: 'viewer' })
    await expectMendable(
      ['trainee_edits_everything', organizationId, 'both'],
      ['trainee_edits_everything', organizationId, 'intern'],
      ['grant_not_added', 'steel-invioce', 'ada'],
      ['grant_not_added', 'steel-invioce', 'bob'],
    )
    const { grants } = await key.call(listGrants, { organizationId })
    assert.deepEqual(
      grants.map(({ id, userId, accessRole, expiresAt: end }) => [id, userId, accessRole, end]),
      [
        [organizationId, 'both', 'viewer', undefined],
        [organizationId, 'intern', 'viewer', expiresAt],
        ['steel-invoice', 'ada', 'viewer', undefined],
        ['steel-invoice', 'ada', 'editor', expiresAt],
        ['steel-invoice', 'bob', 'editor', expiresAt],
      ],
    )
  })

  it('calls a grant weaker only if without it the stronger one above gives access', async () => {
    const inside = async (folderId: string, accessType: 'public' | 'restricted' | 'organizationPrivate', more = {}) => {
      await key.call(addFolders, { organizationId, folders: [{ folderId, ...more }] })
      const documents = [{ documentId: `${folderId}-own`, accessType }, { documentId: `${folderId}-inherited` }]
      await key.call(addDocuments, { organizationId, folderId, documents })
      for (const { documentId } of documents) await grant('ada', 'document', documentId, { accessRole: 'viewer' })
    }
    await grant('ada', 'organization', organizationId)
    await inside('closed', 'public', { accessType: 'restricted' })
    await inside('open', 'restricted')
    await inside('members', 'organizationPrivate')
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'read' }] })
    await key.call(addDocuments, { organizationId, folderId: 'read', documents: [{ documentId: 'read-only' }] })
    await grant('ada', 'folder', 'read', { accessRole: 'viewer' })
    await grant('ada', 'document', 'read-only', { accessRole: 'viewer' })
    const findings = await found({ kinds: ['weaker_inside'] })
    assert.deepEqual(
      findings.map(({ resource }) => resource?.id),
      ['read', 'closed-own', 'members-inherited', 'members-own', 'open-inherited'],
    )
    assert.match(findings[0]?.sentence ?? '', /and has a stronger grant above it\.$/)
    for (const finding of findings) await fix(finding)
    const checks = findings.map(({ resource }) => ({ userId: 'ada', resource: resource as ResourceName }))
    assert.deepEqual(
      (await key.call(checkPermissions, { checks })).checks.map(({ accessRole }) => accessRole),
      findings.map(() => 'editor'),
    )
  })

  it('finds grants in organizations whose ids are misspelt', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap' }] })
    await key.call(addOrganizations, { organizations: [{ organizationId: 'acme-2' }, { organizationId: 'umbra' }] })
    await grant('ada', 'organization', 'ac-me')
    await grant('ada', 'organization', 'umbra')
    await grant('bob', 'document', 'roadmap', { organizationId: 'Acme' })
    await grant('cleo', 'document', 'plans', { organizationId: 'Acme', accessRole: 'viewer' })
    const findings = await found({ kinds: ['grant_not_added'] })
    assert.deepEqual(
      findings.map(({ sentence }) => sentence),
      [
        'cleo has a grant on the document plans of the organization Acme, which was never added. Probably the organization acme was meant.',
        'bob has a grant on the document roadmap of the organization Acme, which was never added. Probably the organization acme was meant.',
        'ada has a grant on the organization ac-me, which has no name, folders or documents. Probably acme was meant.',
      ],
    )
    const meant = { type: 'document', id: 'roadmap', organizationId, accessRole: 'editor' }
    assert.deepEqual(
      findings.map(({ calls }) => calls.slice(0, -1).map(({ data }) => data.permissions)),
      [
        [],
        [{ resources: [meant] }],
        [{ resources: [{ type: 'organization', id: organizationId, accessRole: 'editor' }] }],
      ],
    )
    await expectMendable(
      ['grant_not_added', 'plans', 'cleo'],
      ['grant_not_added', 'roadmap', 'bob'],
      ['grant_not_added', 'ac-me', 'ada'],
    )
    await grant('ada', 'organization', 'ac-me')
    await key.call(updateOrganizations, { organizations: [{ organizationId: 'ac-me', organizationName: 'AC/ME' }] })
    assert.deepEqual(await kinds(), [])
  })

  it('finds grants that do not give the access they seem to give: expired, closed, disabled, and weaker inside', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'sales' }] })
    const documents = ['prices', 'budget', 'plan', 'shared'].map((documentId) => ({ documentId }))
    await key.call(addDocuments, { organizationId, folderId: 'sales', documents })
    const add = (userId: string, expiresAt: number) =>
      key.call(addPermissions, {
        user: { userId },
        permissions: { resources: [{ type: 'folder', id: 'sales', organizationId, accessRole: 'viewer', expiresAt }] },
      })
    const now = Math.floor(Date.now() / 1000)
    await add('late', now - 86_400)
    await add('long-ago', now - 8 * 86_400)
    await grant('ada', 'folder', 'sales')
    await grant('ada', 'document', 'plan', { accessRole: 'viewer' })
    await key.call(disableDocuments, { organizationId, documentIds: ['prices'], disabled: true })
    const restrict = async (documentId: string) =>
      key.post('/v2/organizations/documents/access/update', {
        organizationId,
        documentIds: [documentId],
        accessType: 'restricted',
      })
    await restrict('budget')
    await restrict('shared')
    await grant('bob', 'document', 'shared')
    await expectMendable(
      ['expired_lately', 'sales', 'late'],
      ['closed_inside', 'budget'],
      ['disabled_with_grants', 'prices'],
      ['weaker_inside', 'plan', 'ada'],
    )
  })

  it('calls a grant weaker only if the grants of groups would not count in its place', async () => {
    const folderId = 'plans'
    await key.call(addFolders, { organizationId, folders: [{ folderId }] })
    const documents = ['shared', 'single', 'inner'].map((documentId) => ({ documentId }))
    await key.call(addDocuments, { organizationId, documents: documents.slice(0, 2) })
    await key.call(addDocuments, { organizationId, folderId, documents: documents.slice(2) })
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'staff' }] })
    await grant('ada', 'organization', organizationId)
    await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'staff', userIds: ['ada'] })
    for (const { documentId } of documents) await grant('ada', 'document', documentId, { accessRole: 'viewer' })
    const give = (type: Type, id: string) =>
      key.call(addGrants, { grants: [{ groupId: 'staff', type, id, organizationId, accessRole: 'viewer' }] })
    await give('document', 'shared')
    await give('folder', folderId)
    await expectMendable(['weaker_inside', 'single', 'ada'])
  })

  it('does not offer to open what is restricted in a public folder: everybody could open it', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'press', accessType: 'public' }] })
    const documents = [{ documentId: 'drafts', accessType: 'restricted' as const }]
    await key.call(addDocuments, { organizationId, folderId: 'press', documents })
    await grant('ada', 'folder', 'press')
    assert.deepEqual(await kinds(), [])
  })

  it('reads as much about a document, however many people have access to its folder', async () => {
    const documents = Array.from({ length: 100 }, (_, nth) => ({ documentId: `document${nth}` }))
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'sales' }] })
    await key.call(addDocuments, { organizationId, folderId: 'sales', documents })
    await grant('ada', 'folder', 'sales')
    const rows = async () => {
      await server.db.query('vacuum analyze grants')
      return rowsRead(server.db, FIND_RESOURCES, [apiKeyOf(key), null, 'secret'])
    }
    const few = await rows()
    await server.db.query(
      `insert into grants (organization_key, resource_key, principal, kind, standing_role)
       select g.organization_key, g.resource_key, 'user' || n, g.kind, 'editor' from grants g, generate_series(1, 200) n
        where g.principal = 'ada' and g.organization_key = any(select organization_key from organizations where api_key_id = $1)`,
      [apiKeyOf(key)],
    )
    const many = await rows()
    assert.ok(many <= 2 * few, `${many} rows instead of ${few}`)
  })

  it('finds auth tokens that were not used for 90 days', async () => {
    await key.call(listFindings, {})
    await server.db.query(
      `update auth_tokens set created_at = now() - interval '91 days', last_used_at = null where api_key_id = $1
          and name <> (select name from auth_tokens where api_key_id = $1 order by created_at limit 1)`,
      [apiKeyOf(key)],
    )
    await server.db.query(
      `insert into auth_tokens (token_hash, api_key_id, name, token_sealed, created_at)
       values (sha256($2), $1, 'Old', '', now() - interval '100 days')`,
      [apiKeyOf(key), Buffer.from(apiKeyOf(key))],
    )
    const [token] = await found()
    assert.deepEqual(
      [token?.kind, token?.sentence],
      ['token_unused', 'The auth token Old was created at least 90 days ago and has never been used.'],
    )
    await expectMendable(['token_unused'])
  })

  it('examines only one organization and no other API key, and needs the scope admin', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
    await grant('ada', 'document', 'unknown')
    assert.deepEqual(
      [(await found({ organizationId })).length, (await found({ organizationId: 'other' })).length],
      [1, 0],
    )
    refused(await key.post(listFindings.path, { organizationId: 'none' }), 'NOT_FOUND')
    const stranger = await server.newKey()
    await stranger.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    assert.deepEqual((await stranger.call(listFindings, {})).findings, [])
  })
})

describe('account-findings.list', () => {
  it('finds administrators without a second factor, and API keys and tokens that nobody uses', async () => {
    const listed = async () =>
      (await owner.call(listAccountFindings, {})).findings.map(({ kind, apiKey }) => [kind, apiKey])
    const keys = async () => (await listed()).filter(([kind]) => kind !== 'no_second_factor')
    assert.ok((await listed()).some(([kind]) => kind === 'no_second_factor'))
    const [differing] = (await keys()).map(([kind]) => kind)
    assert.equal(differing, 'settings_differ')
    await server.db.query(`update api_keys set created_at = now() - interval '91 days' where api_key_id = $1`, [
      apiKeyOf(key),
    ])
    await server.db.query(`update auth_tokens set last_used_at = now() - interval '91 days' where api_key_id = $1`, [
      apiKeyOf(key),
    ])
    await owner.call(listAccountUsage, {}) // all calls until here are counted
    await server.db.query(`update usage_days set day = day - 90 where api_key_id = $1`, [apiKeyOf(key)])
    assert.deepEqual((await keys()).at(-1), ['api_key_unused', apiKeyOf(key)])
    await server.db.query(`update api_keys set default_access_type = 'public' where api_key_id = $1`, [apiKeyOf(key)])
    assert.deepEqual(
      (await keys()).map(([kind]) => kind),
      ['api_key_unused'],
    )
    const { key: ofOperator } = await signInCommandLineAs(owner, 'admin')
    await ofOperator(apiKeyOf(key)).call(listFindings, {})
    await owner.call(listAccountUsage, {})
    assert.deepEqual(await keys(), [], 'a person uses it without its tokens')
  })
})

it('a failing webhook is named by its host, without the path, which may be a secret', async () => {
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  const { id } = await key.call(createWebhookEndpoint, { url: 'https://hooks.example.com/secret' })
  await server.db.query('update webhook_endpoints set failing_since = now() where endpoint_id = $1', [id])
  const { findings } = await key.call(listFindings, { kinds: ['webhook_failing'] })
  assert.deepEqual(
    findings.map(({ sentence, endpointId }) => [sentence, endpointId]),
    [['The webhook at hooks.example.com fails.', id]],
  )
})
