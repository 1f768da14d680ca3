/** Every operation returns each reason that it declares: the test has a call for each that is refused with it. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import type { Operation } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { OPERATION_REASONS } from '#contract/reasons/reasons.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import { addInvitation } from '#contract/resources/invitations.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { getWebhookEndpoints, updateWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { resetWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import { type Answer, createClient } from '#testing/client.ts'
import { completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { ROOT } from '../../scripts/root.ts'
import { callerOf, callersFrom } from './support/callers.ts'
import { type ExampleWorld, newExampleWorld, unchangedWorld } from './support/example-world.ts'
import { refused } from './support/refused.ts'
import { exampleWith, placesOf } from './support/schema-walk.ts'

const server = await sharedServer()

/** Reasons that few operations declare, with the test of its feature that covers them. */
const SEEN_IN: Record<string, string> = {
  access_role_in_use: 'server/features/key-config/access-roles.test.ts',
  activities_off: 'server/features/activities/activities.test.ts',
  activity_immutable: 'server/features/activities/activities.test.ts',
  invitation_does_not_exist: 'server/features/invitations/invitations.test.ts',
  invitation_email_differs: 'server/features/invitations/invitations.test.ts',
  invitation_not_pending: 'server/features/invitations/invitations.test.ts',
  invitation_role_differs: 'server/features/invitations/invitations.test.ts',
  user_token_invalid: 'server/features/invitations/invitations.test.ts',
  permission_provider_failed: 'server/features/permission-provider/failures.test.ts',
  mail_server_missing: 'server/features/mail/mail.test.ts',
  email_domain_refused: 'server/features/workspaces/workspaces.test.ts',
  signup_closed: 'server/features/workspaces/workspaces.test.ts',
  signup_token_wrong: 'server/features/workspaces/workspaces.test.ts',
  own_access_would_end: 'server/features/sharing/sharing.test.ts',
  sharing_exceeds_own_access: 'server/features/sharing/sharing.test.ts',
  sharing_target_unknown: 'server/features/sharing/sharing.test.ts',
  sharing_with_oneself: 'server/features/sharing/sharing.test.ts',
  sharing_would_lower: 'server/features/sharing/sharing.test.ts',
  user_sharing_off: 'server/features/sharing/sharing.test.ts',
  too_many_auth_tokens: 'server/features/auth-tokens/auth-tokens.test.ts',
  too_many_bytes: 'test/neighbours/limits.test.ts',
  thread_full: 'server/features/comments/comments/comments.test.ts',
  domain_request_answered: 'server/features/domains/requests.test.ts',
  too_many_domain_requests: 'server/features/domains/requests.test.ts',
  too_many_domains: 'server/features/domains/domains.test.ts',
  too_many_folders: 'server/features/resources/folders/get.test.ts',
  too_many_group_users: 'server/features/sharing/groups.test.ts',
  too_many_pairs: 'server/features/permissions/simulations/simulations.test.ts',
  region_unknown: 'test/buckets/callers.test.ts',
  too_many_production_keys: 'server/features/api-keys/api-keys.test.ts',
  too_many_signing_keys: 'server/features/signing-keys/signing-keys.test.ts',
  last_owner: 'server/features/operators/operators.test.ts',
  no_workspace_token: 'server/features/operators/sign-in.test.ts',
  other_operator: 'server/features/findings/weekly/weekly.test.ts',
  operator_exists: 'server/features/operators/operators.test.ts',
  sso_domain_does_not_exist: 'server/features/single-sign-on/domains.test.ts',
  sso_config_incomplete: 'server/features/single-sign-on/config.test.ts',
  too_many_operators: 'server/features/operators/operators.test.ts',
  last_workspace_token: 'server/features/workspace-tokens/workspace-tokens.test.ts',
  too_much_inside: 'server/features/permissions/lists/inside/lists.test.ts',
  too_many_workspace_tokens: 'server/features/workspace-tokens/workspace-tokens.test.ts',
  too_many_webhook_endpoints: 'server/features/webhooks/endpoints/endpoints.test.ts',
  too_many_webhook_messages: 'server/features/webhooks/messages/messages.test.ts',
  too_many_workspaces: 'server/features/workspaces/workspaces.test.ts',
  webhook_endpoint_uid_taken: 'server/features/webhooks/endpoints/endpoints.test.ts',
}

/** Returns the example with other values for some of its fields. */
const changed = ({ example }: Operation, fields: object) => ({ ...(example as object), ...fields })

/** Calls in the world of the examples, with some fields changed, which is refused. */
const inItsWorld = (fields: object) => async (operation: Operation) =>
  (await unchangedWorld(server.client, operation)).post(operation, changed(operation, fields))

const onAnEmptyDataSet = async (operation: Operation) =>
  (await callerOf(server.client, operation)).post(operation.path, operation.example)

/** The fields that name the document `roadmap` in a call that grants. */
const GRANTS_ON_ROADMAP: Record<string, object> = {
  'users.add': { documentId: 'roadmap' },
  'invitations.add': { type: 'doc_user', documentId: 'roadmap' },
  'permissions.add': {},
  'grants.add': {},
  'user-tokens.generate': {
    permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId: 'acme' }] },
  },
}

const requiringKnownResources = async ({ callers }: ExampleWorld): Promise<void> => {
  await callers.apiKey.call(updateKeyConfig, { requireKnownResources: true })
}

/** The fields of operations that take a resource instead of ids of each kind. */
const UNKNOWN_RESOURCES = {
  organization: { type: 'organization', id: 'unknown' },
  folder: { type: 'folder', id: 'unknown', organizationId: 'acme' },
  document: { type: 'document', id: 'unknown', organizationId: 'acme' },
}

const askingForUnknown = (kind: keyof typeof UNKNOWN_RESOURCES) => (operation: Operation) =>
  inItsWorld(
    operation.name === 'permitted-users.list'
      ? { resource: UNKNOWN_RESOURCES[kind] }
      : { ...unknownOf(operation, kind), ...ANSWERED_TYPES[operation.name]?.[kind] },
  )(operation)

/** Names an unknown resource, in a list where the call has no other field for it. */
function unknownOf({ data }: Operation, kind: string): object {
  const { properties } = data as { properties: object }
  const isListed = `${kind}Ids` in properties && !(`${kind}Id` in properties)
  return isListed ? { [`${kind}Ids`]: ['unknown'] } : { [`${kind}Id`]: 'unknown' }
}

/** The fields that an answer to an invitation has with the id of each kind. */
const ANSWERED_TYPES: Record<string, Partial<Record<keyof typeof UNKNOWN_RESOURCES, object>>> = {
  'invitations.respond': { folder: { type: 'folder_user' }, document: { type: 'doc_user' } },
}

/** Accepts an invitation to a document that was never added, after the key requires known resources. */
async function acceptingToDeclared(operation: Operation): Promise<Answer> {
  const world = await newExampleWorld(server.client, operation)
  const { apiKey } = world.callers
  const target = { email: 'eve@example.com', organizationId: 'acme', type: 'doc_user', documentId: 'declared' } as const
  await apiKey.call(addInvitation, target)
  const { token: authToken } = await apiKey.call(generateToken, { userId: 'eve' })
  await requiringKnownResources(world)
  return world.post(operation, { ...target, status: 'ACCEPTED', user: { userId: 'eve' }, authToken })
}

/** The fields of calls that grant to a user group, or revoke its grants. */
function ofGroup({ organizationId = 'acme', groupId = 'design' }): Record<string, object> {
  const resource = { type: 'organization', id: organizationId }
  const inCall = { group: { organizationId, groupId }, permissions: { resources: [resource] } }
  return {
    'permissions.add': { ...inCall, user: undefined },
    'permissions.remove': { ...inCall, userId: undefined },
    'permissions.simulate': { add: [{ groupId, resource }] },
    'grants.add': { grants: [{ groupId, ...resource }] },
  }
}

/** An agent of the service. */
const AGENT = {
  agentSource: 'service',
  agentId: 'spell-check',
  reason: { title: 'Typo', description: 'A typo', severity: 'low' },
}

/** The fields of calls with a user token that name another user, where the example names nobody. */
const OF_ANOTHER: Record<string, object> = {
  'search.find': { userId: 'ada' },
  'threads.update': { updatedData: { from: { userId: 'ada' } } },
  'comments.update': { userIds: ['ada'] },
  'comments.delete': { userIds: ['ada'] },
}

/** The same fields, for calls that a user may make except for the role. */
const WRITTEN: Record<string, object> = {
  'threads.add': { commentAnnotations: [{ commentData: [{}] }] },
  'comments.add': { commentData: [{}] },
  'sharing.get': { userId: undefined },
  'sharing-targets.list': { userId: undefined },
  'sharing.update': { userId: undefined },
}

/** The call that provokes each reason. */
const PROVOKED: Record<string, (operation: Operation) => Promise<Answer>> = {
  advanced_webhooks_disabled: async (operation) =>
    operation.name === 'advanced-webhook-config.update'
      ? (await callersFrom(server.client)).apiKey.post(operation.path, { encodeData: true })
      : onAnEmptyDataSet(operation),
  agent_does_not_exist: (operation) => {
    const commentData = [{ from: { userId: 'bot' }, agent: AGENT }]
    const fields = operation.name === 'comments.add' ? { commentData } : { commentAnnotations: [{ commentData }] }
    return inItsWorld(fields)(operation)
  },
  api_key_does_not_exist: onAnEmptyDataSet,
  api_key_name_wrong: inItsWorld({ apiKeyName: 'Another' }),
  auth_token_does_not_exist: inItsWorld({ authTokenId: 'unknown' }),
  workspace_token_does_not_exist: inItsWorld({ tokenId: 'unknown' }),
  workspace_token_replaced: async (operation) => {
    const world = await newExampleWorld(server.client, operation)
    await world.callers.workspace.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })
    return world.post(operation)
  },
  operator_does_not_exist: inItsWorld({ operatorId: 'unknown' }),
  document_does_not_exist: askingForUnknown('document'),
  domain_request_does_not_exist: inItsWorld({ id: 'unknown' }),
  folder_does_not_exist: askingForUnknown('folder'),
  no_access_to_document: async (operation) => {
    const { callers, post } = await newExampleWorld(server.client, operation)
    const documents = { organizationId: 'acme', documentIds: ['roadmap'], accessType: 'restricted' as const }
    await callers.apiKey.call(setDocumentAccess, documents)
    const commentAnnotations = [{ commentData: [{ from: { userId: 'stranger' } }] }]
    return post(operation, changed(operation, { verifyUserPermissions: true, commentAnnotations }))
  },
  thread_does_not_exist: inItsWorld({ annotationId: 'unknown' }),
  comment_exists: inItsWorld({ commentData: [{ commentId: 100001, from: { userId: 'ada' } }] }),
  author_without_access: async (operation) => {
    const { callers, post } = await newExampleWorld(server.client, operation)
    const documents = { organizationId: 'acme', documentIds: ['roadmap'], accessType: 'restricted' as const }
    await callers.apiKey.call(setDocumentAccess, documents)
    const commentData = [{ from: { userId: 'stranger' } }]
    return post(operation, changed(operation, { verifyUserPermissions: true, commentData }))
  },
  thread_exists: async (operation) => {
    const { post } = await newExampleWorld(server.client, operation)
    await post(operation)
    return post(operation)
  },
  migration_does_not_exist: inItsWorld({ migrationId: 'unknown' }),
  organization_does_not_exist: (operation) =>
    operation.name === 'user-data.delete'
      ? inItsWorld({ organizationIds: ['unknown'] })(operation)
      : operation.name in ofGroup({})
        ? inItsWorld({ ...ofGroup({ organizationId: 'unknown' })[operation.name] })(operation)
        : askingForUnknown('organization')(operation),
  webhook_endpoint_disabled: async (operation) => {
    const world = await newExampleWorld(server.client, operation)
    const { apiKey } = world.callers
    const [endpoint] = (await apiKey.call(getWebhookEndpoints, {})).endpoints
    await apiKey.call(updateWebhookEndpoint, { endpointId: endpoint?.id ?? '', disabled: true })
    return world.post(operation)
  },
  webhook_endpoint_does_not_exist: inItsWorld({ endpointId: 'unknown' }),
  webhook_message_does_not_exist: inItsWorld({ messageId: 'unknown' }),
  user_access_revocation_does_not_exist: inItsWorld({ jobId: 'unknown' }),
  user_data_deletion_does_not_exist: inItsWorld({ jobId: 'unknown' }),
  user_group_does_not_exist: (operation) =>
    inItsWorld(ofGroup({ groupId: 'unknown' })[operation.name] ?? { organizationUserGroupId: 'unknown' })(operation),
  resource_does_not_exist: async (operation) => {
    if (operation.name === 'invitations.respond') return acceptingToDeclared(operation)
    if (operation.scope === 'read' && operation.name !== 'permissions.simulate') return onAnEmptyDataSet(operation)
    const world = await newExampleWorld(server.client, operation)
    await requiringKnownResources(world)
    const written = JSON.stringify(changed(operation, GRANTS_ON_ROADMAP[operation.name] ?? {}))
    return world.post(operation, JSON.parse(written.replaceAll('roadmap', 'unknown')))
  },
  document_was_migrated: async (operation) => {
    const world = await newExampleWorld(server.client, operation)
    await world.callers.apiKey.post('/v2/organizations/documents/add', {
      organizationId: 'acme',
      createOrganization: true,
      documents: [{ documentId: 'roadmap' }],
    })
    await completeMigration(world.callers.apiKey, migrateDocument.example)
    return world.post(operation, changed(operation, GRANTS_ON_ROADMAP[operation.name] ?? {}))
  },
  user_disabled: async (operation) => {
    const { callers, post } = await newExampleWorld(server.client, operation)
    const { token } = await callers.apiKey.call(generateToken, { userId: 'ada' })
    await callers.apiKey.call(disableUsers, { userIds: ['ada'], disabled: true })
    if (!operation.userToken) return post(operation)
    return createClient(server.url, { authorization: `Bearer ${token}` }).post(operation.path, operation.example)
  },
  other_user: async (operation) => {
    const { callers } = await newExampleWorld(server.client, operation)
    const { token } = await callers.apiKey.call(generateToken, { userId: 'eve' })
    const data = changed(operation, OF_ANOTHER[operation.name] ?? {})
    return createClient(server.url, { authorization: `Bearer ${token}` }).post(operation.path, data)
  },
  access_role_missing: async (operation) => {
    const { callers } = await newExampleWorld(server.client, operation)
    await callers.apiKey.call(updateKeyConfig, { defaultAccessRole: 'viewer', userSharing: 'editors' })
    const { token } = await callers.apiKey.call(generateToken, { userId: 'eve' })
    const data = changed(operation, WRITTEN[operation.name] ?? {})
    return createClient(server.url, { authorization: `Bearer ${token}` }).post(operation.path, data)
  },
  field_not_implemented: async (operation) => {
    const { credentials, path: at } = operation
    const callers = await callersFrom(server.client)
    const fields = placesOf(operation).flatMap(({ path, schema }) =>
      (schema.unimplemented ?? []).map((name) => [...path, name]),
    )
    const answers = await Promise.all(
      fields.map((field) => callers[credentials].post(at, exampleWith(operation, field, true))),
    )
    for (const answer of answers) refused(answer, 'UNIMPLEMENTED')
    return answers[0] ?? assert.fail(`${operation.name} has no such field`)
  },
}

for (const operation of OPERATIONS)
  for (const reason of operation.reasons ?? [])
    describe(operation.name, () => {
      const file = SEEN_IN[reason]
      if (file !== undefined)
        it(`gives the reason ${reason} in ${path.basename(file)}`, () => {
          const operations = OPERATIONS.filter(({ reasons = [] }) => reasons.includes(reason))
          const [, ...shown] = readFileSync(path.join(ROOT, file), 'utf8').split(`'${reason}'`)
          assert.ok(shown.length >= operations.length)
        })
      else
        it(`gives the reason ${reason}`, async () => {
          const provoke = PROVOKED[reason] ?? assert.fail(`nothing provokes ${reason}`)
          const { body, text } = await provoke(operation)
          assert.equal(body.error?.reason, reason, text)
          assert.ok(OPERATION_REASONS[reason]?.statuses.includes(body.error.status))
        })
    })
