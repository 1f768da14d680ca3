/**
 * Every change writes exactly the events of these tables, with the fields that their types declare. Reads write none,
 * except those that show a secret (rules/events.md#events).
 */

import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { addThreads, updateThreads } from '#contract/comments/threads.ts'
import { type Operation, writes } from '#contract/core/operation.ts'
import { EVENT_TYPES, type EventType } from '#contract/events/event-types.ts'
import type { EventMeaning } from '#contract/events/key-event-types.ts'
import { disableApiKey, enableApiKey } from '#contract/keys/api-keys.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { disableDocuments } from '#contract/resources/documents.ts'
import { addFolders, updateFolders } from '#contract/resources/folders.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { disableOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import { deleteUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { EventNames } from '#sdk/event-sentences/names.ts'
import { sentenceText } from '#sdk/event-sentences/parts.ts'
import { eventSentence, formatUtcDay } from '#sdk/event-sentences/sentence.ts'
import { databasesOf } from '#testing/buckets.ts'
import { until } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import type { StoredEvent } from './support/events.ts'
import { type ExampleWorld, exampleWorld, newExampleWorld } from './support/example-world.ts'

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM: 'mail@example.com' })

/** The events of the example of each operation. */
const OF_EXAMPLES: Record<string, EventType[]> = {
  'workspace-tokens.create': ['workspace_token.created'],
  'workspace-tokens.reset': ['workspace_token.reset'],
  'workspace-tokens.revoke': ['workspace_token.revoked'],
  'current-workspace-token.get': ['workspace_token.shown'],
  'operators.invite': ['operator.invited'],
  'operators.update': ['operator.updated'],
  'operators.remove': ['operator.removed'],
  'sso-config.update': ['sso_config.updated'],
  'sso-config.test': [],
  'sso-domains.verify': [],
  'workspaces.create': ['workspace.created', 'api_key.created', 'auth_token.created'],
  'login-links.create': [],
  'api-keys.create': ['api_key.created', 'auth_token.created'],
  'api-keys.update': ['api_key.updated'],
  'api-keys.disable': ['api_key.disabled'],
  'api-keys.enable': [],
  'api-keys.delete': ['api_key.deleted'],
  'auth-tokens.get': ['auth_token.shown'],
  'auth-tokens.reset': ['auth_token.reset'],
  'auth-tokens.create': ['auth_token.created'],
  'auth-tokens.revoke': ['auth_token.revoked'],
  'key-config.update': ['api_key.updated'],
  'key-config.copy': ['api_key.updated'],
  'email-config.update': ['api_key.updated'],
  'email-config.test': [],
  'webhook-config.update': ['api_key.updated'],
  'notification-config.update': ['api_key.updated'],
  'activity-config.update': ['api_key.updated'],
  'permission-provider-config.update': ['api_key.updated'],
  'advanced-webhook-config.update': ['api_key.updated'],
  'webhook-endpoints.create': ['webhook_endpoint.created'],
  'webhook-endpoints.update': ['webhook_endpoint.updated'],
  'webhook-endpoints.delete': ['webhook_endpoint.deleted'],
  'webhook-secrets.get': ['webhook_endpoint.secret_shown'],
  'webhook-secrets.rotate': ['webhook_endpoint.secret_rotated'],
  'webhook-messages.resend': ['webhook.resent'],
  'webhook-messages.replay': [],
  'webhook-messages.test': ['webhook.test'],
  'domains.add': ['api_key.updated'],
  'domains.delete': ['api_key.updated'],
  'domain-requests.add': ['domain_request.added'],
  'domain-requests.respond': ['api_key.updated', 'domain_request.accepted'],
  'organizations.add': ['organization.added'],
  'organizations.update': ['organization.updated'],
  'organizations.disable': ['organization.disabled'],
  'users.disable': ['user.disabled'],
  'organizations.delete': ['organization.deleted'],
  'folders.add': ['folder.added'],
  'folders.update': [],
  'folder-access.set': ['folder.access_changed'],
  'folders.delete': ['folder.deleted'],
  'documents.add': ['document.added'],
  'documents.update': ['document.updated'],
  'documents.move': ['document.moved'],
  'document-access.set': ['document.access_changed'],
  'documents.disable': ['document.disabled'],
  'documents.delete': ['document.deleted'],
  'migrations.migrate': ['document.migration.started', 'document.migration.completed'],
  'threads.add': ['thread.added'],
  'threads.update': ['thread.priority_changed'],
  'threads.delete': ['thread.deleted'],
  'threads.read': [],
  'thread-subscriptions.set': ['thread.unsubscribed'],
  'comments.add': ['comment.added'],
  'comments.update': ['comment.updated'],
  'comments.delete': ['thread.deleted'],
  'users.add': ['user.added', 'permission.added'],
  'users.update': ['user.updated'],
  'users.delete': ['user.removed'],
  'profiles.set': ['user.updated'],
  'invitations.add': ['invitation.added'],
  'invitations.respond': ['invitation.withdrawn'],
  'user-groups.add': ['user_group.added'],
  'user-groups.update': ['user_group.updated'],
  'user-groups.delete': ['user_group.deleted'],
  'user-group-users.add': ['user_group.user_added'],
  'user-group-users.delete': ['user_group.user_removed'],
  'user-data.delete': ['user_token.revoked', 'thread.deleted', 'user.removed', 'user.removed'],
  'user-access.revoke': ['permission.removed', 'permission.removed', 'user_group.user_removed', 'user_token.revoked'],
  'permissions.add': ['permission.added', 'permission.added'],
  'grants.add': ['permission.added', 'permission.added'],
  'sharing.update': ['permission.added'],
  'permissions.remove': ['permission.removed'],
  'permission-signatures.generate': [],
  'user-tokens.generate': ['user_token.generated'],
  'user-tokens.revoke': ['user_token.revoked'],
  'signing-keys.rotate': ['signing_key.rotated'],
  'comment-data.set': ['thread.added'],
  'activities.add': [],
  'activities.update': [],
  'activities.delete': [],
  'notifications.add': [],
  'notifications.update': [],
  'notifications.delete': [],
  'notification-preferences.set': [],
}

const organizationId = 'acme'
const PAST = 1_000_000_000

/** Changes that no example makes: sequences of calls, with all their events. */
const OF_OTHERS: [why: string, calls: [Operation, unknown?][], events: EventType[]][] = [
  ['a key is enabled again', [[disableApiKey], [enableApiKey]], ['api_key.disabled', 'api_key.enabled']],
  [
    'organizations, documents and users are enabled again',
    [
      [disableOrganizations, { organizationIds: [organizationId], disabled: true }],
      [disableOrganizations, { organizationIds: [organizationId], disabled: false }],
      [disableDocuments, { organizationId, documentIds: ['roadmap'], disabled: true }],
      [disableDocuments, { organizationId, documentIds: ['roadmap'], disabled: false }],
      [disableUsers, { userIds: ['ada'], disabled: true }],
      [disableUsers, { userIds: ['ada'], disabled: false }],
    ],
    [
      'organization.disabled',
      'organization.enabled',
      'document.disabled',
      'document.enabled',
      'user.disabled',
      'user.enabled',
    ],
  ],
  [
    'a folder is renamed and moved',
    [
      [addFolders, { organizationId, folders: [{ folderId: 'archive' }] }],
      [updateFolders, { organizationId, folders: [{ folderId: 'plans', folderName: 'P' }] }],
      [updateFolders, { organizationId, folders: [{ folderId: 'plans', parentFolderId: 'archive' }] }],
    ],
    ['folder.added', 'folder.updated', 'folder.moved'],
  ],
  [
    'a user group is emptied',
    [[deleteUserGroupUsers, { organizationId, organizationUserGroupId: 'design', deleteAll: true }]],
    ['user_group.emptied'],
  ],
  [
    'a grant that has already expired creates an organization',
    [
      [
        addPermissions,
        {
          user: { userId: 'bob' },
          permissions: { resources: [{ type: 'organization', id: 'new', accessRole: 'viewer', expiresAt: PAST }] },
        },
      ],
    ],
    ['organization.added', 'permission.added', 'permission.expired'],
  ],
  [
    'a grant is about to expire',
    [
      [updateKeyConfig, { expiringSoonSeconds: 3_600 }],
      [
        addPermissions,
        {
          user: { userId: 'bob' },
          permissions: {
            resources: [
              {
                type: 'document',
                id: 'roadmap',
                organizationId,
                get expiresAt() {
                  return Math.floor(Date.now() / 1000) + 3_602
                },
              },
            ],
          },
        },
      ],
    ],
    ['api_key.updated', 'permission.added', 'permission.expiring'],
  ],
  [
    'a person is invited again, and rejects the invitation',
    [[addInvitation], [respondToInvitation, { ...respondToInvitation.example, status: 'REJECTED' }]],
    ['invitation.renewed', 'invitation.rejected'],
  ],
  [
    'a thread is assigned, closed and moved',
    [
      [
        updateThreads,
        {
          organizationId,
          documentId: 'roadmap',
          updatedData: {
            assignedTo: { userId: 'bob' },
            status: { id: 'DONE', name: 'Done', type: 'terminal' },
            location: { id: 'section-3' },
          },
        },
      ],
    ],
    ['thread.assigned', 'thread.status_changed', 'thread.updated'],
  ],
  [
    'a suggestion becomes private, and is accepted; another is rejected, and followed again',
    [
      [
        addThreads,
        {
          organizationId,
          documentId: 'roadmap',
          commentAnnotations: ['one', 'two'].map((annotationId) => ({
            annotationId,
            type: 'suggestion',
            commentData: [{ from: { userId: 'ada' } }],
          })),
        },
      ],
      [
        updateThreads,
        {
          organizationId,
          documentId: 'roadmap',
          annotationIds: ['one'],
          updatedData: {
            visibility: { type: 'restricted', userIds: ['ada'] },
            suggestion: { status: 'accepted' },
          },
        },
      ],
      [
        updateThreads,
        {
          organizationId,
          documentId: 'roadmap',
          annotationIds: ['two'],
          updatedData: { suggestion: { status: 'rejected' } },
        },
      ],
      [
        setSubscriptions,
        {
          organizationId,
          documentId: 'roadmap',
          annotationIds: ['two'],
          userId: 'ada',
          subscription: 'subscribed',
        },
      ],
    ],
    [
      'thread.added',
      'thread.added',
      'thread.visibility_changed',
      'thread.suggestion_accepted',
      'thread.updated',
      'thread.suggestion_rejected',
      'thread.updated',
      'thread.subscribed',
    ],
  ],
  [
    'a user who has written in a thread of somebody else is erased',
    [
      [
        addThreads,
        {
          organizationId,
          documentId: 'roadmap',
          commentAnnotations: [
            {
              commentData: [
                { from: { userId: 'eve' }, triggerNotification: true },
                { from: { userId: 'bob' }, triggerActivities: true },
              ],
            },
          ],
        },
      ],
      [deleteUserData, { userIds: ['bob'] }],
    ],
    ['thread.added', 'comment.added', 'thread.updated', 'comment.deleted'],
  ],
  [
    'a user signs in for the first time',
    [[generateToken, { userId: 'bob', userProperties: { name: 'Bob' } }]],
    ['user.added', 'user_token.generated'],
  ],
  [
    'a migration fails',
    [[migrateDocument, { organizationId, documentId: 'nope', newDocumentId: 'new' }]],
    ['document.migration.failed'],
  ],
]

/** Events that need a user token, failing receivers, the passing of time, the opposite of an example, or an action in the console. */
const TOLD_ELSEWHERE: Record<string, string> = {
  'domain_request.rejected': 'server/features/domains/requests.test.ts',
  'invitation.accepted': 'server/features/invitations/invitations.test.ts',
  'api_key.secret_shown': 'server/features/service-configs/service-configs.test.ts',
  'operator.added': 'server/features/single-sign-on/single-sign-on.test.ts',
  'sso_domain.verified': 'server/features/single-sign-on/domains.test.ts',
  'sso_domain.lost': 'server/features/single-sign-on/domains.test.ts',
  'operator.signed_in': 'server/features/operators/sign-in.test.ts',
  'operator.passkey_added': 'server/features/operators/passkeys.test.ts',
  'operator.passkey_removed': 'server/features/operators/passkeys.test.ts',
  'operator.session_ended': 'server/features/console/sessions/lists.test.ts',
  'webhook.replayed': 'server/features/webhooks/messages/messages.test.ts',
  'webhook_endpoint.disabled': 'server/features/webhooks/delivery/deliveries.test.ts',
  'webhook_endpoint.enabled': 'server/features/webhooks/delivery/deliveries.test.ts',
  'message.attempt.exhausted': 'server/features/webhooks/delivery/deliveries.test.ts',
}

const seen = new Set<string>()

/** Waits until no job is under way: all events are stored. */
const settled = () =>
  until('time without a job', async () => {
    const { rows } = await server.db.query(
      `select from document_migrations where finished_at is null
        union all select from user_data_deletions where finished_at is null
        union all select from user_access_revocations where finished_at is null
        union all select from grants where expires_at < clock_timestamp() and expiry_event_at is null
        union all select from grants where expiring_at is not null`,
    )
    return rows.length === 0
  })

/** Queries each database of the server: events of the workspace itself are in the home database. */
async function inEach<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const found = await Promise.all(databasesOf(server.db).map((db) => db.query(text, values)))
  return found.flatMap(({ rows }) => rows as Row[])
}

/** Returns the last sequence of each stream of events. */
async function lastSequences(): Promise<unknown> {
  await settled()
  const rows = await inEach<{ last: object }>(
    `select coalesce(jsonb_object_agg(stream, last), '{}') as last
       from (select stream, max(sequence) as last from events group by stream) as streams`,
  )
  return Object.assign({}, ...rows.map(({ last }) => last))
}

/** Returns the events that were stored after these sequences. */
async function eventsAfter(last: unknown): Promise<StoredEvent[]> {
  await settled()
  return inEach<StoredEvent>(
    `select type, api_key_id as "apiKeyId", organization_id as "organizationId", actor, before, after
       from events where sequence > coalesce(($1::jsonb ->> stream::text)::bigint, -1) order by tick, stream, sequence`,
    [JSON.stringify(last)],
  )
}

/** Returns the fields in the description of `before` or `after`; none if it has fields of the caller. */
const documented = (text = ''): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)

function assertAsDocumented({ type, actor, before, after }: StoredEvent): void {
  const { before: saysBefore, after: saysAfter }: EventMeaning = EVENT_TYPES[type as EventType]
  for (const [said, there] of [
    [saysBefore, before],
    [saysAfter, after],
  ]) {
    const names = documented(said)
    const unsaid = Object.keys(there ?? {}).filter((name) => !names.includes(name))
    if (said === undefined || names.length > 0) assert.deepEqual(unsaid, [], `${type} has what is not documented`)
  }
  assert.ok(actor.address === '127.0.0.1' || actor.system === 'expiry', `${type} does not say whose doing it was`)
}

/** The sentences of samples are in test/sdk/event-sentences.test.ts; these are events as the server writes them. */
function assertReadable({ type, actor, before, after }: StoredEvent): void {
  const values = { ...(before !== null && { before }), ...(after !== null && { after }) }
  const event = { id: '', type: type as EventType, changedAt: 0, actor, ...values }
  const sentence = sentenceText(eventSentence(event, { names: new EventNames(), formatTime: formatUtcDay }))
  assert.doesNotMatch(sentence, /undefined|null|NaN|\[object/, type)
  assert.ok(!sentence.includes(type), sentence)
}

/** Makes calls, and compares the types of all their events. */
async function assertEvents(
  { post }: ExampleWorld,
  calls: (post: Post) => Promise<void>,
  expected: readonly EventType[],
) {
  const before = await lastSequences()
  await calls(async (operation, data) => {
    const answer = await post(operation, data)
    assert.equal(answer.http, 200, answer.text)
  })
  const news = await eventsAfter(before)
  for (const event of news) {
    assertAsDocumented(event)
    assertReadable(event)
    seen.add(event.type)
  }
  assert.deepEqual(news.map(({ type }) => type).sort(), expected.toSorted())
}
type Post = (operation: Operation, data?: unknown) => Promise<void>

describe('the example of', () => {
  for (const operation of OPERATIONS) {
    const expected = OF_EXAMPLES[operation.name] ?? []
    const written = expected.length === 0 ? 'no event' : expected.join(', ')
    it(`${operation.name} writes ${written}`, async () => {
      await assertEvents(await exampleWorld(server.client, operation), (post) => post(operation), expected)
    })
  }
})

describe('when', () => {
  for (const [why, calls, expected] of OF_OTHERS)
    it(`${why}, there is ${expected.join(', ')}`, async () => {
      const call = async (post: Post) => {
        for (const [operation, data] of calls) await post(operation, data)
      }
      await assertEvents(await newExampleWorld(server.client, checkPermissions), call, expected)
    })
})

describe('the table of events', () => {
  it('has the events of every operation that writes or shows a secret', () => {
    assert.deepEqual(
      Object.keys(OF_EXAMPLES).sort(),
      OPERATIONS.filter((operation) => writes(operation) || operation.secret)
        .map(({ name }) => name)
        .sort(),
    )
  })

  it('has no type that these tests do not produce', () => {
    assert.deepEqual(
      Object.keys(EVENT_TYPES).filter((type) => !seen.has(type) && !(type in TOLD_ELSEWHERE)),
      [],
    )
  })
})
