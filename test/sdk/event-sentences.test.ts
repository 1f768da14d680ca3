/** Every type of event reads as one sentence with names first: for each, the sentence of a sample event. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { type EventType, TYPES } from '#contract/events/event-types.ts'
import { EVENT_COLUMNS, eventCells, eventLine } from '#sdk/event-sentences/event-rows.ts'
import { EventNames } from '#sdk/event-sentences/names.ts'
import { sentenceText } from '#sdk/event-sentences/parts.ts'
import { eventSentence, formatUtcDay } from '#sdk/event-sentences/sentence.ts'
import type { Event, EventName } from '#sdk/generated/operations.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { document, type Sample, SHARING_SAMPLES, THREAD_SAMPLES } from './thread-event-samples.ts'
import { END_SAMPLES, MARCH, MAY, SPAN_SAMPLES } from './time-event-samples.ts'

const KIM = { operator: { id: 'op-1', name: 'Kim Larsen' }, address: '192.0.2.1' }
const SERVICE = { system: 'expiry' }
const SECRET = { field: 'emailServiceConfig.apiKey' }
const organizationId = 'acme'
const NAMES: EventName[] = [
  { kind: 'organization', id: 'acme', name: 'Acme Corp' },
  { kind: 'folder', id: 'plans', organizationId, name: 'Plans' },
  { kind: 'folder', id: 'archive', organizationId, name: 'Archive' },
  { kind: 'document', id: 'budget', organizationId, name: 'Budget 2026' },
  { kind: 'user', id: 'ada', name: 'Ada Byron', email: 'ada@example.com' },
  { kind: 'user', id: 'bob', email: 'bob@example.com' },
  { kind: 'userGroup', id: 'sales', organizationId, name: 'Sales' },
  { kind: 'apiKey', id: 'chk_1', name: 'Larkspur testing' },
  { kind: 'operator', id: 'op-2', name: 'Lin Park' },
  { kind: 'webhookEndpoint', id: 'ep_1', name: 'https://hooks.example.com' },
]

const organization: Sample = { organizationId, resource: { type: 'organization', id: 'acme' } }
const folder: Sample = { organizationId, resource: { type: 'folder', id: 'plans' } }
const group: Sample = { organizationId, groupId: 'sales' }
const key: Sample = { apiKey: 'chk_1' }
const DOMAIN = { domain: 'a.com' }
const OPERATOR = { operatorId: 'op-2', email: 'lin@example.com', name: 'Lin Park', role: 'admin' }
const ENDPOINT = { endpointId: 'ep_1', url: 'https://hooks.example.com', disabled: false, filterTypes: ['user.*'] }
const invitation = { invitationId: 'i', email: 'eve@example.com', accessRole: 'viewer' }

const SAMPLES: Record<EventType, readonly (readonly [sample: Sample, sentence: string])[]> = {
  'workspace.created': [
    [
      { actor: {}, after: { name: 'Larkspur', ownerEmail: 'ines@example.com' } },
      'ines@example.com created the workspace Larkspur',
    ],
  ],
  'workspace_token.created': [
    [
      { after: { id: 't', name: 'ci', expiresAt: MARCH } },
      'Kim Larsen created the workspace token ci, until 3 March 2027',
    ],
  ],
  'workspace_token.reset': [
    [
      { after: { id: 't', name: 'workspace', gracePeriodSeconds: 60 } },
      'Kim Larsen replaced all tokens of the workspace; the old ones work for 1 minute more',
    ],
  ],
  'workspace_token.shown': [
    [{ actor: { token: 'workspace' }, after: { id: 't' } }, 'The workspace token asked for its own token in full'],
  ],
  'workspace_token.revoked': [[{ before: { id: 't', name: 'ci' } }, 'Kim Larsen revoked the workspace token ci']],
  'operator.invited': [[{ after: OPERATOR }, 'Kim Larsen invited Lin Park to the workspace as admin']],
  'operator.added': [[{ after: OPERATOR }, 'Lin Park signed in with single sign-on for the first time, as admin']],
  'operator.updated': [
    [
      { before: { ...OPERATOR, role: 'support' }, after: OPERATOR },
      'Kim Larsen changed Lin Park: role from support to admin',
    ],
  ],
  'operator.removed': [[{ before: OPERATOR }, 'Kim Larsen removed Lin Park from the workspace']],
  'operator.signed_in': [
    [{ after: { operatorId: 'op-1', method: 'passkey' } }, 'Kim Larsen signed in to the console with a passkey'],
    [
      { after: { operatorId: 'op-1', method: 'link', confirmed: true } },
      'Kim Larsen confirmed who they are in the console with a link',
    ],
  ],
  'operator.passkey_added': [[{ after: { passkeyId: 'p', name: 'Laptop' } }, 'Kim Larsen added the passkey Laptop']],
  'operator.passkey_removed': [
    [{ before: { passkeyId: 'p', name: 'Laptop' } }, 'Kim Larsen removed the passkey Laptop'],
  ],
  'operator.session_ended': [
    [{ before: { sessionId: 's', operatorId: 'op-2' } }, 'Kim Larsen ended a console session of Lin Park'],
    [{ before: { sessionId: 's' } }, 'Kim Larsen ended a console session of a token'],
  ],
  'sso_config.updated': [
    [
      { before: { enabled: false, issuer: 'https://a' }, after: { enabled: true, issuer: 'https://a' } },
      'Kim Larsen changed single sign-on: enabled from off to on',
    ],
  ],
  'sso_domain.verified': [[{ after: DOMAIN }, 'Kim Larsen verified the domain a.com for single sign-on']],
  'sso_domain.lost': [[{ before: DOMAIN }, 'Another workspace verified the domain a.com; this one lost it']],
  'api_key.created': [
    [
      { apiKey: 'chk_new', after: { name: 'Production', type: 'production' } },
      'Kim Larsen created the production API key Production',
    ],
  ],
  'api_key.updated': [
    [
      {
        ...key,
        before: { defaultDocumentAccessType: 'public', a: 1 },
        after: { defaultDocumentAccessType: 'organizationPrivate', a: 1 },
      },
      'Kim Larsen changed the settings of Larkspur testing: default access type from public to organization private',
    ],
    [
      { ...key, before: { allowedDomains: ['a.example'] }, after: { allowedDomains: ['a.example', 'b.example'] } },
      'Kim Larsen changed the settings of Larkspur testing: allowed domains (added b.example)',
    ],
    ...SPAN_SAMPLES,
    [
      { ...key, before: {}, after: { emailServiceConfig: { triggers: { 'permission.added': true } } } },
      'Kim Larsen changed the settings of Larkspur testing: sent when access was granted from none to on',
    ],
  ],
  'domain_request.added': [
    [{ ...key, after: { id: 'r', domain: 'b.example' } }, 'Kim Larsen requested the domain b.example'],
  ],
  'domain_request.accepted': [
    [{ ...key, after: { id: 'r', domain: 'b.example' } }, 'Kim Larsen accepted the domain b.example'],
  ],
  'domain_request.rejected': [
    [{ ...key, after: { id: 'r', domain: 'b.example' } }, 'Kim Larsen rejected the domain b.example'],
  ],
  'api_key.secret_shown': [
    [{ ...key, after: SECRET }, 'Kim Larsen showed the secret API key (e-mail) of Larkspur testing'],
  ],
  'api_key.disabled': [[key, 'Kim Larsen disabled the API key Larkspur testing']],
  'api_key.enabled': [[key, 'Kim Larsen enabled the API key Larkspur testing']],
  'api_key.deleted': [
    [
      { apiKey: 'chk_gone', before: { name: 'Old', organizations: 2, folders: 0, documents: 1_204, users: 1 } },
      'Kim Larsen deleted the API key Old, with 2 organizations, 1,204 documents and 1 user',
    ],
  ],
  'auth_token.created': [
    [
      { ...key, after: { id: 't', name: 'ci', scopes: ['read', 'write'] } },
      'Kim Larsen created the auth token ci of Larkspur testing with the scopes read, write',
    ],
  ],
  'auth_token.reset': [
    [
      { ...key, after: { id: 't', name: 'x', gracePeriodSeconds: 0 } },
      'Kim Larsen replaced all auth tokens of Larkspur testing',
    ],
  ],
  'auth_token.shown': [[{ ...key, after: { ids: ['t'] } }, 'Kim Larsen showed the auth tokens of Larkspur testing']],
  'auth_token.revoked': [
    [{ ...key, before: { id: 't', name: 'ci' } }, 'Kim Larsen revoked the auth token ci of Larkspur testing'],
  ],
  'signing_key.rotated': [
    [
      { ...key, after: { kid: 'k', verifying: ['j'] } },
      'Kim Larsen rotated the signing key of user tokens of Larkspur testing',
    ],
  ],
  'webhook_endpoint.created': [
    [{ ...key, after: ENDPOINT }, 'Kim Larsen created the webhook endpoint https://hooks.example.com'],
  ],
  'webhook_endpoint.updated': [
    [
      { ...key, before: ENDPOINT, after: { ...ENDPOINT, filterTypes: ['user.*', 'folder.*'] } },
      'Kim Larsen changed https://hooks.example.com: filter types (added folder.*)',
    ],
  ],
  'webhook_endpoint.deleted': [
    [{ ...key, before: ENDPOINT }, 'Kim Larsen deleted the webhook endpoint https://hooks.example.com'],
  ],
  'webhook_endpoint.secret_rotated': [
    [
      { ...key, after: { endpointId: 'ep_1', gracePeriodSeconds: 3_600 } },
      'Kim Larsen rotated the secret of https://hooks.example.com; the old ones work for 1 hour more',
    ],
  ],
  'webhook_endpoint.secret_shown': [
    [{ ...key, after: { endpointId: 'ep_1' } }, 'Kim Larsen showed the secret of https://hooks.example.com'],
  ],
  'webhook_endpoint.disabled': [
    [
      { ...key, actor: { system: 'webhooks' }, after: { ...ENDPOINT, reason: 'gone' } },
      'The service disabled https://hooks.example.com, because it responded that it is gone',
    ],
  ],
  'webhook_endpoint.enabled': [
    [{ ...key, after: { endpointId: 'raw' } }, 'Kim Larsen enabled the raw URL for webhooks again'],
  ],
  'webhook.test': [[{ ...key, after: { endpointId: 'ep_1' } }, 'Kim Larsen sent a test to https://hooks.example.com']],
  'webhook.resent': [
    [
      { ...key, after: { endpointId: 'ep_1', messageId: 'm' } },
      'Kim Larsen sent a webhook message again to https://hooks.example.com',
    ],
  ],
  'webhook.replayed': [
    [
      { ...key, after: { endpointId: 'ep_1', messages: 12 } },
      'Kim Larsen sent 12 webhook messages again to https://hooks.example.com',
    ],
  ],
  'message.attempt.exhausted': [
    [
      {
        ...key,
        actor: { system: 'webhooks' },
        after: { endpointId: 'ep_1', attempts: 8, httpStatus: 500, error: null },
      },
      'A webhook message could not be delivered to https://hooks.example.com after 8 attempts: HTTP status 500',
    ],
  ],
  'organization.added': [
    [{ ...organization, after: { organizationName: 'Acme' } }, 'Kim Larsen added the organization Acme Corp'],
  ],
  'organization.updated': [
    [
      { ...organization, before: { organizationName: 'Acme' }, after: { organizationName: 'Acme Corp' } },
      'Kim Larsen changed the name of the organization from Acme to Acme Corp',
    ],
    [
      { ...organization, before: { metadata: { plan: 'free' } }, after: { metadata: { plan: 'team' } } },
      'Kim Larsen changed the organization Acme Corp: metadata plan from free to team',
    ],
  ],
  'organization.disabled': [
    [
      { ...organization, before: { disabled: false }, after: { disabled: true } },
      'Kim Larsen disabled the organization Acme Corp',
    ],
  ],
  'organization.enabled': [
    [
      { ...organization, before: { disabled: true }, after: { disabled: false } },
      'Kim Larsen enabled the organization Acme Corp',
    ],
  ],
  'organization.deleted': [
    [
      { organizationId: 'gone', before: { organizationName: 'Old Inc', folders: 1, documents: 2, permissions: 3 } },
      'Kim Larsen deleted the organization Old Inc, with 1 folder, 2 documents and 3 grants',
    ],
  ],
  'folder.added': [
    [
      { ...folder, after: { folderName: 'Plans', parentFolderId: 'archive', accessType: 'restricted' } },
      'Kim Larsen added the folder Plans to Archive, restricted',
    ],
    [{ ...folder, after: {} }, 'Kim Larsen added the folder Plans to the top of Acme Corp'],
  ],
  'folder.updated': [
    [
      { ...folder, before: { folderName: 'A' }, after: { folderName: 'B' } },
      'Kim Larsen changed the name of the folder from A to B',
    ],
  ],
  'folder.moved': [
    [
      { ...folder, before: { parentFolderId: null }, after: { parentFolderId: 'archive', folders: 4 } },
      'Kim Larsen moved the folder Plans from the top of Acme Corp to Archive',
    ],
  ],
  'folder.access_changed': [
    [
      { ...folder, before: { accessType: null }, after: { accessType: 'organizationPrivate' } },
      'Kim Larsen changed the access type of Plans from inherited to open to members of the organization',
    ],
  ],
  'folder.deleted': [
    [
      { organizationId, resource: { type: 'folder', id: 'old' }, before: { folderName: 'Old', documents: 214 } },
      'Kim Larsen deleted the folder Old, with 214 documents',
    ],
  ],
  'document.added': [
    [
      { ...document, after: { documentName: 'Budget', folderId: 'plans' } },
      'Kim Larsen added the document Budget 2026 to Plans',
    ],
  ],
  'document.updated': [
    [
      { ...document, before: { documentName: 'A' }, after: { documentName: 'B' } },
      'Kim Larsen changed the name of the document from A to B',
    ],
    [
      {
        ...document,
        before: { documentName: 'A', metadata: {} },
        after: { documentName: 'A', metadata: { reviewed: true } },
      },
      'Kim Larsen changed the document Budget 2026: metadata reviewed from none to on',
    ],
    [
      { ...document, before: { documentName: null }, after: { documentName: 'B' } },
      'Kim Larsen gave the document the name B',
    ],
    [
      { ...document, before: { documentName: 'A' }, after: { documentName: null } },
      'Kim Larsen removed the name A of the document',
    ],
  ],
  'document.moved': [
    [
      { ...document, before: { folderId: 'plans' }, after: { folderId: null } },
      'Kim Larsen moved the document Budget 2026 from Plans to the top of Acme Corp',
    ],
  ],
  'document.access_changed': [
    [
      { ...document, before: { accessType: 'restricted' }, after: { accessType: 'public' } },
      'Kim Larsen changed the access type of Budget 2026 from restricted to public',
    ],
  ],
  'document.disabled': [
    [
      { ...document, before: { disabled: false }, after: { disabled: true } },
      'Kim Larsen disabled the document Budget 2026',
    ],
  ],
  'document.enabled': [
    [
      { ...document, before: { disabled: true }, after: { disabled: false } },
      'Kim Larsen enabled the document Budget 2026',
    ],
  ],
  'document.deleted': [
    [
      {
        organizationId,
        resource: { type: 'document', id: 'gone' },
        before: { documentName: 'Old plan', metadata: {}, permissions: 1 },
      },
      'Kim Larsen deleted the document Old plan, with 1 grant',
    ],
  ],
  'document.migration.started': [
    [
      { ...document, after: { migrationId: 'm', newDocumentId: 'b-27' } },
      'Kim Larsen started to migrate the document Budget 2026 to the id b-27',
    ],
  ],
  'document.migration.completed': [
    [
      { ...document, before: { documentId: 'b-26' }, after: { migrationId: 'm', documentId: 'budget' } },
      'The migration of Budget 2026 from the id b-26 to budget completed',
    ],
  ],
  'document.migration.failed': [
    [
      { ...document, after: { migrationId: 'm', newDocumentId: 'b-27', reason: 'id_taken' } },
      'The migration of Budget 2026 to the id b-27 failed: id taken',
    ],
  ],
  ...THREAD_SAMPLES,
  'user.added': [[{ userId: 'ada', after: { name: 'Ada Byron' } }, 'Kim Larsen added the profile of Ada Byron']],
  'user.updated': [
    [
      { userId: 'ada', before: { name: 'Ada' }, after: { name: 'Ada Byron' } },
      'Kim Larsen changed the name of the user from Ada to Ada Byron',
    ],
    [
      { userId: 'bob', before: { title: 'Intern' }, after: { title: 'Editor' } },
      'Kim Larsen changed the profile of bob@example.com: title from Intern to Editor',
    ],
  ],
  'user.removed': [
    [
      { organizationId, userId: 'ada', before: { permissions: 3, userGroups: 2, accessRole: 'viewer' } },
      'Kim Larsen removed Ada Byron from Acme Corp, with 2 user groups and 3 grants',
    ],
    [{ userId: 'erased-1', before: { profiles: 1 }, after: { jobId: 'j' } }, 'Kim Larsen erased user erased-1'],
  ],
  'user.disabled': [
    [{ userId: 'ada', before: { disabled: false }, after: { disabled: true } }, 'Kim Larsen disabled Ada Byron'],
  ],
  'user.enabled': [
    [{ userId: 'ada', before: { disabled: true }, after: { disabled: false } }, 'Kim Larsen enabled Ada Byron'],
  ],
  'user_group.added': [
    [{ ...group, after: { groupName: 'Sales' } }, 'Kim Larsen added the user group Sales of Acme Corp'],
  ],
  'user_group.updated': [
    [
      { ...group, before: { groupName: 'A' }, after: { groupName: 'Sales' } },
      'Kim Larsen changed the name of the user group from A to Sales',
    ],
  ],
  'user_group.deleted': [
    [
      { organizationId, groupId: 'old', before: { groupName: 'Old team', users: 4, permissions: 2 } },
      'Kim Larsen deleted the user group Old team of Acme Corp, with 4 users and 2 grants',
    ],
  ],
  'user_group.user_added': [
    [{ ...group, userId: 'ada' }, 'Kim Larsen added Ada Byron to the user group Sales of Acme Corp'],
  ],
  'user_group.user_removed': [
    [{ ...group, userId: 'ada' }, 'Kim Larsen removed Ada Byron from the user group Sales of Acme Corp'],
  ],
  'user_group.emptied': [
    [{ ...group, before: { users: 7 } }, 'Kim Larsen removed 7 users from the user group Sales of Acme Corp'],
  ],
  'invitation.added': [
    [{ ...document, after: invitation }, 'Kim Larsen invited eve@example.com to Budget 2026 as viewer'],
  ],
  'invitation.renewed': [
    [
      { ...document, before: invitation, after: invitation },
      'Kim Larsen invited eve@example.com to Budget 2026 again as viewer',
    ],
    [
      { ...document, before: invitation, after: { ...invitation, accessRole: 'editor' } },
      'Kim Larsen invited eve@example.com to Budget 2026 again, now as editor and before as viewer',
    ],
  ],
  'invitation.accepted': [
    [{ ...document, userId: 'ada', after: invitation }, 'Ada Byron accepted the invitation to Budget 2026 as viewer'],
  ],
  'invitation.rejected': [
    [{ ...organization, before: invitation }, 'eve@example.com rejected the invitation to Acme Corp'],
  ],
  'invitation.withdrawn': [
    [{ ...folder, before: invitation }, 'Kim Larsen withdrew the invitation of eve@example.com to Plans'],
  ],
  'permission.added': [
    [
      { ...document, userId: 'ada', after: { accessRole: 'editor', expiresAt: MARCH } },
      'Kim Larsen gave Ada Byron editor on Budget 2026, until 3 March 2027',
    ],
    ...END_SAMPLES,
    [
      { ...folder, after: { groupId: 'sales', accessRole: 'viewer', expiresAt: null } },
      'Kim Larsen gave Sales viewer on Plans',
    ],
    ...SHARING_SAMPLES,
    [
      {
        ...document,
        userId: 'ada',
        before: { accessRole: 'viewer', expiresAt: null },
        after: { accessRole: 'editor', expiresAt: null },
      },
      'Kim Larsen changed Ada Byron’s role on Budget 2026 from viewer to editor',
    ],
    [
      {
        ...document,
        userId: 'ada',
        before: { accessRole: 'editor', expiresAt: MARCH },
        after: { accessRole: 'editor', expiresAt: MAY },
      },
      'Kim Larsen extended Ada Byron’s editor role on Budget 2026 from 3 March 2027 to 1 May 2027',
    ],
    [
      {
        ...document,
        userId: 'ada',
        before: { accessRole: 'editor', expiresAt: MAY },
        after: { accessRole: 'editor', expiresAt: MARCH },
      },
      'Kim Larsen shortened Ada Byron’s editor role on Budget 2026 from 1 May 2027 to 3 March 2027',
    ],
    [
      {
        ...document,
        userId: 'ada',
        before: { accessRole: 'editor', expiresAt: null },
        after: { accessRole: 'editor', expiresAt: MARCH },
      },
      'Kim Larsen limited Ada Byron’s editor role on Budget 2026 until 3 March 2027',
    ],
    [
      {
        ...document,
        userId: 'ada',
        before: { accessRole: 'editor', expiresAt: MARCH },
        after: { accessRole: 'editor', expiresAt: null },
      },
      'Kim Larsen made Ada Byron’s editor role on Budget 2026 permanent, which was to end on 3 March 2027',
    ],
    [
      { ...organization, userId: 'nobody', actor: { token: 'demo' }, after: { accessRole: 'viewer', expiresAt: null } },
      'The token demo gave user nobody viewer on Acme Corp',
    ],
  ],
  'permission.removed': [
    [
      { ...folder, before: { groupId: 'sales', accessRole: 'viewer', expiresAt: null } },
      'Kim Larsen removed viewer of Sales on Plans',
    ],
  ],
  'permission.expiring': [
    [
      { ...document, actor: SERVICE, userId: 'ada', after: { accessRole: 'editor', expiresAt: MARCH } },
      'Ada Byron’s editor role on Budget 2026 expires soon, on 3 March 2027',
    ],
  ],
  'permission.expired': [
    [
      { ...document, actor: SERVICE, userId: 'ada', before: { accessRole: 'editor', expiresAt: MARCH } },
      'Ada Byron’s editor role on Budget 2026 expired',
    ],
  ],
  'user_token.generated': [[{ userId: 'ada', after: { jti: 'x' } }, 'Ada Byron signed in']],
  'user_token.revoked': [
    [{ userId: 'ada', after: { tokensSince: 1 } }, 'Kim Larsen revoked the user tokens of Ada Byron'],
  ],
}

const eventOf = (type: EventType, sample: Sample): Event => ({
  id: `${'0'.repeat(32)}-1`,
  changedAt: 0,
  actor: KIM,
  ...sample,
  type,
})

function rowOf(type: EventType, sample: Sample) {
  const event = eventOf(type, sample)
  return { event, names: new EventNames().add({ events: [event], names: NAMES }) }
}

const said = (type: EventType, sample: Sample): string => {
  const { event, names } = rowOf(type, sample)
  return sentenceText(eventSentence(event, { names, formatTime: formatUtcDay }))
}

describe('the sentence of', () => {
  for (const type of TYPES)
    for (const [index, [sample, sentence]] of SAMPLES[type].entries())
      it(`${type}, sample ${index + 1}, is “${sentence}”`, () => assert.equal(said(type, sample), sentence))
})

describe('every sentence', () => {
  it('is complete without names, values and a known actor', () => {
    for (const type of TYPES) {
      const sentence = said(type, { actor: {}, before: {}, after: {} })
      assert.match(sentence, /^\p{Lu}.* /u, type)
      assert.doesNotMatch(sentence, /undefined|null|\[object|NaN|_/, type)
    }
  })

  it('is short, whatever an event contains', () => {
    const long = 'x'.repeat(10_000)
    const values = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field${index}`, long]))
    assert.ok(said('api_key.updated', { before: values, after: {} }).length < 1_000)
  })

  it('names a deleted object by its last event', () => {
    const gone = eventOf('document.deleted', { ...document, before: { documentName: 'Lost' } })
    const earlier = eventOf('document.disabled', { ...document, after: { disabled: true } })
    const names = new EventNames().add({ events: [gone, earlier], names: [] })
    assert.equal(
      sentenceText(eventSentence(earlier, { names, formatTime: formatUtcDay })),
      'Kim Larsen disabled the document Lost',
    )
  })

  it('takes the URL of a webhook endpoint only from its own event', () => {
    const lie = { endpointId: 'ep_1', url: 'https://trusted.example.com' }
    const names = new EventNames().add({
      events: [
        eventOf('user.updated', { userId: 'eve', after: lie }),
        eventOf('webhook_endpoint.deleted', { before: { endpointId: 'ep_1', url: 'https://evil.example.com' } }),
      ],
    })
    assert.equal(names.of({ kind: 'webhookEndpoint', id: 'ep_1' }), 'https://evil.example.com')
  })

  it('distinguishes objects with the same id in different organizations', () => {
    const here = rowOf('document.disabled', { ...document, organizationId: 'other' })
    assert.match(sentenceText(eventSentence(here.event, { ...here, formatTime: formatUtcDay })), /the document budget$/)
  })
})

describe('exported events', () => {
  const row = rowOf('document.updated', {
    ...document,
    actor: { operator: { id: 'op-9', name: '=HYPERLINK("https://evil.example")' } },
    before: { documentName: '+1' },
    after: { documentName: '@SUM(A1).' },
  })

  it('have their sentence and raw fields in CSV, and no cell that a spreadsheet runs', () => {
    const [head = '', line = ''] = csvRows([EVENT_COLUMNS, eventCells(row)]).split('\r\n')
    assert.match(head, /^time,sentence,type,/)
    assert.match(line, /^1970-01-01T00:00:00\.000Z,"'=HYPERLINK\(""https:\/\/evil\.example""\) changed the name/)
    assert.match(line, /document\.updated,acme,Acme Corp,document,budget,Budget 2026/)
    for (const cell of eventCells(row)) assert.doesNotMatch(csvRows([[cell]]).trimEnd(), /^"?[=+\-@\t\r]/)
  })

  it('are one line of JSON each, with the sentence and the event as the API returns it', () => {
    const { sentence, ...event } = JSON.parse(eventLine(row))
    assert.match(sentence, /changed the name of the document from \+1 to @SUM\(A1\)\.$/)
    assert.deepEqual(event, row.event)
  })
})
